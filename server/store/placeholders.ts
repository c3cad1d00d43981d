// The question marks of a statement that binds a list.

/** `?, ?, ?` for three values. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
