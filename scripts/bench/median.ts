// The middle of some measurements: one disturbed round does not move it.

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that the given part of all values stays under, by nearest rank. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(sorted.length * part) - 1] ?? NaN;
}
