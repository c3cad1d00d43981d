// Counts text length in Unicode code points, as the hub does, and parses numbers from fields.

export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The parsed integer, or undefined when it is invalid or out of range. */
export function wholeNumberIn(typed: string, least: number, most: number): number | undefined {
  const value = Number(typed.trim());
  return typed.trim() !== '' && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}
