// The lines of an export: a header, one line per row, and a final line with their count. Each has a checksum over its
// line number and text, so that a changed, missing or moved line is detected and named.
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

/** Increment when the line format changes. */
export const EXPORT_FORMAT = 1;

/** Includes the line end. `number` counts from 1. */
export function writeLine(number: number, content: FirstLine | RowLine | LastLine): string {
  const text = JSON.stringify(content).slice(0, -1);
  return `${text},"crc":"${checksum(number, text)}"}\n`;
}

/** The reason a line is rejected. */
export class BadLine extends Error {}

/** Throws BadLine. */
export function readFirstLine(text: string): FirstLine {
  const first = parsed(1, text, LINES.first, 'it is not the first line of an agenthub export');
  if (first.format !== EXPORT_FORMAT)
    throw new BadLine(`it has format ${first.format}, but this agenthub supports ${EXPORT_FORMAT}`);
  return first;
}

/** Throws BadLine. */
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
    throw new BadLine('its checksum is wrong: it was changed, moved or damaged, or an earlier line is missing');
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), `${content}}`);
  if (!success) throw new BadLine(otherwise);
  return output;
}

function checksum(number: number, text: string): string {
  return crc32(`${number} ${text}`).toString(16).padStart(8, '0');
}
