// Backups of an active hub, some of them killed during the copy, sometimes with the hub. A file with the name of a
// backup is complete, intact, and contains everything acknowledged before it was requested. The hub itself loses
// nothing by them: each is followed by a kill -9.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { register } from '../../../test/support/http/rest-client.ts';
import { type Ledger, startLoad } from '../../../test/support/mixed-load.ts';
import { type Hub, run } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import { flawIn } from './integrity.ts';

/**
 * The clients send for as long as a backup takes, and it takes longer the more they send. With one database, each lasts
 * longer than the last.
 */
const BACKUPS_PER_DATABASE = 25;
const LONGEST_BACKUP_MS = 400;

export const backups: Row = {
  name: 'backups',
  promise: 'a backup is complete, or there is none, and its hub loses nothing',
  test: (count) =>
    `${count} backups of a hub under 16 mixed clients, every 2nd killed, every 8th with its hub, and a kill -9 of the hub after each`,
  target: '0 damaged, 0 lost, code 0 where nothing was killed',
  amounts: { least: 4, quick: 24, long: 200 },
  run: async (trial) => {
    const complaints: string[] = [];
    let made = 0;
    for (let first = 1; first <= trial.amount; first += BACKUPS_PER_DATABASE) {
      const series = await backUpSeries(trial, first, Math.min(first + BACKUPS_PER_DATABASE - 1, trial.amount));
      made += series.made;
      complaints.push(...series.complaints);
    }
    return {
      figure: `${made} created, ${complaints.length} complaints`,
      complaints: complaint('backups', complaints),
    };
  },
};

async function backUpSeries(
  trial: Trial,
  first: number,
  last: number,
): Promise<{ made: number; complaints: string[] }> {
  const data = join(trial.directory(), 'data');
  const place = join(trial.directory(), 'backups');
  mkdirSync(place);
  const complaints: string[] = [];
  let made = 0;
  let hub = await trial.start({ data });
  const { networkToken } = await register(hub.url);
  for (let number = first; number <= last; number++) {
    const load = startLoad(hub.url, networkToken, `round-${number}`);
    await Promise.race([load.begun, load.over]);
    const acknowledged = new Map(load.ledger.tasks);
    const file = join(place, `${number}.db`);
    complaints.push(...(await backUp(trial, hub, file, number)));
    if (existsSync(file)) {
      made++;
      complaints.push(...(await check(file, acknowledged)));
      rmSync(file);
    }
    await hub.kill('SIGKILL');
    await load.over;
    hub = await trial.start({ data });
    complaints.push(...lostFrom(join(data, 'agenthub.db'), load.ledger.tasks));
  }
  await hub.kill('SIGTERM');
  return { made, complaints };
}

async function backUp({ command, draws }: Trial, hub: Hub, file: string, number: number): Promise<string[]> {
  const backup = run(command, ['backup', file, '--data', hub.data]);
  if (number % 2 === 0) {
    await after(draws.below(LONGEST_BACKUP_MS));
    if (number % 8 === 0) await hub.kill('SIGKILL');
    await backup.kill('SIGKILL');
    return [];
  }
  const { code } = await backup.ended;
  const left = readdirSync(dirname(file)).filter((name) => name.startsWith(`.${number}.db`));
  return [
    ...(code === 0 ? [] : [`${number} ended with ${code}: ${backup.stderr().trim()}`]),
    ...(code === 0 && !existsSync(file) ? [`${number} was not created`] : []),
    ...left.map((name) => `${number} left ${name}`),
  ];
}

async function check(file: string, acknowledged: Ledger['tasks']): Promise<string[]> {
  const damage = await flawIn(file);
  return damage === undefined ? lostFrom(file, acknowledged) : [`${file} is damaged: ${damage}`];
}

function lostFrom(file: string, acknowledged: Ledger['tasks']): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const find = database.prepare('SELECT content FROM tasks WHERE task_id = ?');
  const lost = [...acknowledged].filter(([id, content]) => find.get(id)?.content !== content);
  database.close();
  return lost.map(([id]) => `${file} lacks ${id}`);
}
