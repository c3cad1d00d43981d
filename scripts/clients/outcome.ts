// What a case shows: a cell of the table, and whether a promise is broken or a target missed.
export type Outcome = { cell: string; isBroken?: boolean; isMissed?: boolean };

/** In milliseconds. */
export type Target = { p50?: number; p95: number };

export const PASSED = (cell: string): Outcome => ({ cell });
export const BROKEN = (cell: string): Outcome => ({ cell, isBroken: true });
export const NOT_FOR_IT: Outcome = { cell: '–' };

/** Of milliseconds; undefined stands for mail that did not arrive. */
export function timesOutcome(times: readonly (number | undefined)[], target: Target | undefined): Outcome {
  const arrived = times.filter((time) => time !== undefined).sort((one, other) => one - other);
  if (arrived.length < times.length) return BROKEN(`${times.length - arrived.length} of ${times.length} lost`);
  const [p50, p95] = [percentile(arrived, 0.5), percentile(arrived, 0.95)];
  return {
    cell: `${p50.toFixed(0)} / ${p95.toFixed(0)}`,
    isMissed: target !== undefined && (p95 >= target.p95 || p50 >= (target.p50 ?? Infinity)),
  };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

/** A missed target is marked. */
export function cellOf({ cell, isBroken = false, isMissed = false }: Outcome): string {
  return `${isBroken ? 'NO: ' : ''}${cell}${isMissed ? ' *' : ''}`;
}
