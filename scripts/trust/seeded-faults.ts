// Checks that the trials can fail: each seeded fault, injected into a copy of the source, is detected by its row,
// as a rule in the smallest form, with the expected complaint.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CLOCK_FAULTS } from './faults/clock.ts';
import { CLUSTER_FAULTS } from './faults/cluster.ts';
import type { Fault } from './faults/fault.ts';
import { REQUEST_FAULTS } from './faults/requests.ts';
import { STORAGE_FAULTS } from './faults/storage.ts';
import { WORK_FAULTS } from './faults/work.ts';
import { share } from './lanes.ts';
import { complaint, type Row, type Trial } from './row.ts';
import { copySource } from './source-copy.ts';
import { type Result, runRow, scratchDirectory } from './trial.ts';

const LANES = 1;

export const FAULTS: readonly Fault[] = [
  ...STORAGE_FAULTS,
  ...WORK_FAULTS,
  ...CLOCK_FAULTS,
  ...REQUEST_FAULTS,
  ...CLUSTER_FAULTS,
];

/** In the long form each row must also pass on the source without a fault. */
export const seededFaults: Row = {
  name: 'seeded-faults',
  promise: 'these trials detect the faults they are for',
  test: (faults) => `${faults} faults, each injected into a copy of the source`,
  target: 'all caught',
  amounts: { least: FAULTS.length, quick: FAULTS.length, long: FAULTS.length },
  isSlow: true,
  run: async (trial) => {
    const missed: string[] = [];
    const untried: string[] = [];
    await share(FAULTS, LANES, async (fault) => {
      const outcome = await seed(fault, trial.draws.below(2 ** 32));
      if (outcome === 'untried') untried.push(fault.name);
      else if (outcome !== 'caught') missed.push(`${fault.name}: ${outcome}`);
    });
    const falseAlarms = trial.size === 'long' ? await failuresWithoutFault(trial) : [];
    return {
      figure: `${FAULTS.length - missed.length - untried.length} of ${FAULTS.length} caught${untried.length === 0 ? '' : `, not tried: ${untried.join(', ')}`}`,
      complaints: [...complaint('missed', missed), ...complaint('fails without a fault', falseAlarms)],
    };
  },
};

/** `caught`, `untried` where the row cannot run here, or how the fault was missed. */
export async function seed(fault: Fault, seed: number): Promise<string> {
  const directory = scratchDirectory();
  try {
    const { row, size = 'least' } = fault;
    return resultOf(fault, await runRow(row, { command: copySource(directory, [fault]), size, seed }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function resultOf({ row, expected }: Fault, { finding }: Result): string {
  if ('skipped' in finding) return 'untried';
  if (finding.complaints.some((each) => expected.test(each))) return 'caught';
  return finding.complaints.length === 0
    ? `${row.name} passed, ${finding.figure}`
    : `${row.name} said ${finding.complaints[0]}`;
}

async function failuresWithoutFault(trial: Trial): Promise<string[]> {
  const command = copySource(join(trial.directory(), 'source'), []);
  const failures: string[] = [];
  await share([...new Set(FAULTS.map(({ row }) => row))], LANES, async (row) => {
    const { finding } = await runRow(row, { command, size: 'least', seed: trial.draws.below(2 ** 32) });
    if ('complaints' in finding && finding.complaints.length > 0)
      failures.push(`${row.name}: ${finding.complaints[0]}`);
  });
  return failures;
}
