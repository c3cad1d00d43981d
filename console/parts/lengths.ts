// Lengths as the hub counts them, in Unicode code points, and numbers as a person types them.

export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The whole number that was typed, if it is one and within the bounds. */
export function wholeNumberIn(typed: string, least: number, most: number): number | undefined {
  const value = Number(typed.trim());
  return typed.trim() !== '' && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}
