// The lines of an export: a first one that says what it is, one for each row, and a last one that counts them. Each
// carries a checksum over its place and its text, so that a changed, lost or moved line is found and can be named.
import { crc32 } from 'node:zlib';
import * as v from 'valibot';

export type Value = string | number | null;

const value = v.union([
  v.null(),
  v.pipe(v.number(), v.finite()),
  v.pipe(
    v.string(),
    v.check((text) => !text.includes('\0') && text.isWellFormed()),
  ),
]);

const LINES = {
  first: v.strictObject({
    agenthub: v.literal('export'),
    format: v.number(),
    schema: v.pipe(v.number(), v.integer(), v.minValue(1)),
    version: v.string(),
    exported_at: v.string(),
  }),
  row: v.strictObject({ table: v.string(), row: v.record(v.string(), value) }),
  last: v.strictObject({ end: v.literal(true), rows: v.number() }),
};

export type FirstLine = v.InferOutput<typeof LINES.first>;
export type RowLine = v.InferOutput<typeof LINES.row>;
export type LastLine = v.InferOutput<typeof LINES.last>;

/** What a change of these lines would raise. */
export const EXPORT_FORMAT = 1;

/** With its line end. `number` counts from 1. */
export function writeLine(number: number, content: FirstLine | RowLine | LastLine): string {
  const text = JSON.stringify(content).slice(0, -1);
  return `${text},"crc":"${checksum(number, text)}"}\n`;
}

/** Why a line cannot be taken. */
export class BadLine extends Error {}

/** Throws a BadLine that says what is wrong. */
export function readFirstLine(text: string): FirstLine {
  const first = parsed(1, text, LINES.first, 'it is not the first line of an export of agenthub');
  if (first.format !== EXPORT_FORMAT)
    throw new BadLine(`it is of format ${first.format}, and this agenthub knows ${EXPORT_FORMAT}`);
  return first;
}

/** Throws a BadLine that says what is wrong. */
export function readLine(number: number, text: string): RowLine | LastLine {
  return parsed(number, text, v.union([LINES.row, LINES.last]), 'it is neither a row nor the end of an export');
}

const SEALED = /^(.*),"crc":"([0-9a-f]{8})"\}$/s;

function parsed<Content>(
  number: number,
  text: string,
  schema: v.GenericSchema<unknown, Content>,
  otherwise: string,
): Content {
  const [, content, crc] = SEALED.exec(text) ?? [];
  if (content === undefined) throw new BadLine(otherwise);
  if (crc !== checksum(number, content))
    throw new BadLine('its checksum is wrong: it was changed, moved or damaged, or a line before it is missing');
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), `${content}}`);
  if (!success) throw new BadLine(otherwise);
  return output;
}

function checksum(number: number, text: string): string {
  return crc32(`${number} ${text}`).toString(16).padStart(8, '0');
}
