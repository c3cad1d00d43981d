// Median and percentiles of measurements. A single disturbed round does not change the median.

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The percentile for a fraction from 0 to 1, by nearest rank. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.ceil(sorted.length * part) - 1] ?? NaN;
}
