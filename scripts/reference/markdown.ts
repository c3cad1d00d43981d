// Formats Markdown tables, and inputs and numbers in them.
import { MAX_NAME } from '../../server/domain/limits.ts';
import type { InputMember } from '../../server/http/documents/input-schema.ts';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

export const INPUT_LEGEND = `A \`?\` marks optional members, followed by their limits, and after \`=\` the default. A text without a limit has at most ${MAX_NAME} characters.`;

export function inputs(members: readonly InputMember[]): string {
  return members.map(input).join('; ');
}

/** `` `limit?` 1–100 = 10 `` */
function input({ name, schema, isRequired }: InputMember): string {
  const rule = schema.enum === undefined ? range(schema) : schema.enum.join(', ');
  const fallback = schema.default === undefined ? '' : ` = ${shown(schema.default)}`;
  return `\`${name}${isRequired ? '' : '?'}\`${rule === '' ? '' : ` ${rule}`}${fallback}`;
}

function range({
  type,
  minLength = 0,
  maxLength,
  minimum,
  exclusiveMinimum,
  maximum,
  maxItems,
  items,
}: InputMember['schema']): string {
  if (type === 'array')
    return `≤ ${maxItems} items${typeof items === 'object' && 'maxLength' in items ? ` of ≤ ${shown(items.maxLength)}` : ''}`;
  if (type === 'boolean') return 'true, false';
  if (exclusiveMinimum !== undefined) return `> ${shown(exclusiveMinimum)}, ≤ ${shown(maximum)}`;
  if (type !== 'string') return between(minimum, maximum);
  if (minLength > 1) return between(minLength, maxLength);
  return maxLength === undefined || maxLength === MAX_NAME ? '' : `≤ ${shown(maxLength)}`;
}

function between(least: number | undefined, most: number | undefined): string {
  return `${shown(least)}–${shown(most)}`;
}

export function shown(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en-US') : value === '' ? 'empty' : String(value);
}
