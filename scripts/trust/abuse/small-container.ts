// Many users who each take what they may, against a hub in a control group of half a gibibyte, as in a container. The
// hub knows the limit, scales its own limits down, and gives back what it has freed: the kernel kills it otherwise.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../support/process.ts';
import type { Row, Trial } from '../row.ts';
import { openAttackContext } from './attack.ts';
import { everythingByCrowd } from './attacks/combined.ts';
import { missing, runAndCleanUp } from './small-memory.ts';

const REFUSED = 'the other tenant was refused';
const LIMIT_BYTES = 512 * 1024 * 1024;

export const smallContainer: Row = {
  name: 'small-container',
  promise: 'in a small container, the hub rejects what many users send at once, and is not killed',
  test: (seconds) =>
    `unfinished bodies, batches and unread pages of ten users for ${seconds} s, on a hub in a control group of 512 MiB`,
  target: 'alive, 0 acknowledged sends lost',
  amounts: { least: 10, quick: 60, long: 60 },
  isAlone: true,
  run: async (trial) => {
    const group = openGroup(trial);
    if (group === undefined) return { skipped: 'the system does not let this user create a control group' };
    const hub = await trial.start({ command: inGroup(group, trial.command) });
    const context = await openAttackContext(trial, hub);
    // With so little memory, the hub may also close connections of others. What it has acknowledged must be there.
    const { tasks, complaints } = await runAndCleanUp(trial, hub, context, everythingByCrowd);
    const kept = complaints.filter((each) => !each.includes(REFUSED));
    return { figure: `${tasks.length} acknowledged`, complaints: [...kept, ...(await missing(context, tasks))] };
  },
};

/** The directory of a new control group; undefined where this user may not create one. */
function openGroup({ atEnd }: Trial): string | undefined {
  for (const [parent, file] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const)
    try {
      const group = join(parent, `agenthub-trust-${process.pid}`);
      mkdirSync(group);
      atEnd(() => rmdirSync(group));
      writeFileSync(join(group, file), String(LIMIT_BYTES));
      if (Number(readFileSync(join(group, file), 'utf8')) === LIMIT_BYTES) return group;
    } catch {
      // another version of control groups, or no permission
    }
  return undefined;
}

function inGroup(group: string, { file, args }: Command): Command {
  return { file: '/bin/sh', args: ['-c', `echo $$ > ${group}/cgroup.procs && exec "$0" "$@"`, file, ...args] };
}
