// Rows as CSV (RFC 4180): UTF-8 with a byte order mark, without which spreadsheets read another encoding.

export const BYTE_ORDER_MARK = '\uFEFF';

/** Spreadsheets run a text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

export function csvLine(values: readonly unknown[]): string {
  return `${values.map((value) => quoted(textOf(value))).join(',')}\r\n`;
}

/** A leading apostrophe turns a formula into text. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
