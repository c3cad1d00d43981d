// Formats a number with the singular or plural of its noun.

export function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
