// Restores killed at random times: the hub then starts with its previous data or with the backup's, and nothing in
// between.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { register } from '../../../test/support/http/rest-client.ts';
import { run } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import { flawIn } from './integrity.ts';

const LONGEST_RESTORE_MS = 500;

export const restores: Row = {
  name: 'restores',
  promise: 'a killed restore is complete or has no effect',
  test: (count) => `${count} restores killed, the hub started after each and queried`,
  target: "the previous database or the backup's, intact, and no other",
  amounts: { least: 4, quick: 20, long: 300 },
  run: async (trial) => {
    const [old, backup] = [await makeDatabase(trial, ['one']), await makeDatabase(trial, ['one', 'two', 'three'])];
    const seen = { old: 0, restored: 0 };
    const complaints: string[] = [];
    for (let number = 0; number < trial.amount; number++) {
      const data = join(trial.directory(), 'data');
      mkdirSync(data, { mode: 0o700 });
      copyFileSync(old, join(data, 'agenthub.db'));
      const restoring = run(trial.command, ['restore', backup, '--data', data]);
      await after(trial.draws.below(LONGEST_RESTORE_MS));
      await restoring.kill('SIGKILL');
      const hub = await trial.start({ data });
      await hub.kill('SIGTERM');
      const damage = await flawIn(join(data, 'agenthub.db'));
      const networks = damage === undefined ? countNetworks(join(data, 'agenthub.db')) : 0;
      if (networks === 1) seen.old++;
      else if (networks === 3) seen.restored++;
      else complaints.push(damage ?? `${networks} networks`);
    }
    const isVoid = trial.size === 'long' && (seen.old === 0 || seen.restored === 0);
    return {
      figure: `${seen.old} as before, ${seen.restored} restored, ${complaints.length} neither`,
      complaints: [
        ...complaint('restores', complaints),
        ...(isVoid ? ['void: every kill came before the restore, or after it'] : []),
      ],
    };
  },
};

/** A hub with this many users, each with a network. */
async function makeDatabase(trial: Trial, names: readonly string[]): Promise<string> {
  const hub = await trial.start();
  for (const name of names) await register(hub.url, name);
  await hub.kill('SIGTERM');
  return join(hub.data, 'agenthub.db');
}

function countNetworks(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const count = Number(database.prepare('SELECT count(*) AS count FROM networks').get()?.count);
  database.close();
  return count;
}
