// Databases of every earlier schema, whose upgrade is killed at random times until it completes. Nothing is lost, and
// the backup copy is intact.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { SCHEMA_FIXTURES, type SchemaFixture, unpack } from '../../../test/support/store/schema-fixtures.ts';
import { run, serveArguments } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import { flawIn } from './integrity.ts';

const KILLS = 3;
const LONGEST_UPGRADE_MS = 150;
const OLD = SCHEMA_FIXTURES.slice(0, -1);

export const upgrades: Row = {
  name: 'upgrades',
  promise: 'a killed upgrade loses nothing',
  test: (count) => `${count} databases of earlier schemas, each upgrade killed ${KILLS} times, then finished`,
  target: 'every row there, integrity ok, an intact copy from before',
  amounts: { least: 1, quick: 12, long: 200 },
  run: async (trial) => {
    if (OLD.length === 0) return { skipped: 'there is only one schema' };
    const complaints: string[] = [];
    for (let number = 0; number < trial.amount; number++) {
      const fixture = OLD[number % OLD.length];
      if (fixture !== undefined) complaints.push(...(await upgrade(trial, fixture)));
    }
    return { figure: `${complaints.length} with anything lost`, complaints: complaint('upgrades', complaints) };
  },
};

async function upgrade(trial: Trial, fixture: SchemaFixture): Promise<string[]> {
  const data = join(trial.directory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  unpack(fixture, join(data, 'agenthub.db'));
  for (let kill = 0; kill < KILLS; kill++) {
    const starting = run(trial.command, serveArguments(data));
    await after(trial.draws.below(LONGEST_UPGRADE_MS));
    await starting.kill('SIGKILL');
  }
  const hub = await trial.start({ data });
  await hub.kill('SIGTERM');
  const copies = existsSync(join(data, 'backups'))
    ? readdirSync(join(data, 'backups')).filter((name) => !name.startsWith('.'))
    : [];
  const files = [join(data, 'agenthub.db'), ...copies.map((name) => join(data, 'backups', name))];
  const checked = await Promise.all(files.map((file) => check(file, fixture)));
  return [...(copies.length === 0 ? ['there is no copy from before'] : []), ...checked.flat()];
}

/** Time since the fixture was created can have added rows, but not removed any. */
async function check(file: string, { rows }: SchemaFixture): Promise<string[]> {
  const damage = await flawIn(file);
  if (damage !== undefined) return [`${file} is damaged: ${damage}`];
  const database = new DatabaseSync(file, { readOnly: true });
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
  const short = Object.entries(rows).filter(([table, wanted]) => table !== 'events' && count(table) < wanted);
  database.close();
  return short.map(([table]) => `${file} has lost rows of ${table}`);
}
