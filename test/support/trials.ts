// The trials of `npm run trust`, run as tests in the smallest form that detects a seeded fault.
import { expect } from 'vitest';
import type { Row, Size } from '../../scripts/trust/row.ts';
import { runRow } from '../../scripts/trust/trial.ts';
import { programOf, type Target } from './process/hub-process.ts';

export const TRIAL_MS = 120_000;

/** Expects that the promise of this row is kept. A row that cannot run here logs that and passes. */
export async function expectKept(
  row: Row,
  { target = 'binary', size = 'least' }: { target?: Target; size?: Size } = {},
): Promise<void> {
  const [file, args] = programOf(target);
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  const { finding } = await runRow(row, { command: { file, args }, size, seed });
  if ('complaints' in finding) expect(finding.complaints, `drawn with SEED=${seed}`).toEqual([]);
  else process.stderr.write(`${row.name} was not tried: ${finding.skipped}\n`);
}
