// The condition that a column contains a text; ASCII letters match in either case.
import type { Condition } from './newest.ts';

/** `LIKE` would cost the product of both lengths per row, 16 ms at worst. */
export function containing(column: string, text: string | undefined): Condition {
  return [`instr(lower(${column}), ?) > 0`, text && lowered(text)];
}

/** Lowercases ASCII letters only, as SQLite's `lower` does. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
