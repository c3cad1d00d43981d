// `npm run schema-fixture`: writes a database of the newest schema, with rows in every table, to test/store/schemas.
// Run it for each new schema. Fixtures of earlier schemas are never overwritten.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT } from '../build/step.ts';
import { readConfig } from '../server/config/config.ts';
import type { Hub } from '../server/hub.ts';
import { openPasswords } from '../server/native/passwords.ts';
import { SCHEMA_VERSION } from '../server/store/file/migrations.ts';
import { VERSION } from '../server/version.ts';
import { type Account, live } from './schema-fixture/activity.ts';
import { openInProcessHub } from './support/in-process-hub.ts';

const FOLDER = join(ROOT, 'test/store/schemas');
const START = Date.UTC(2026, 10, 20, 9, 0, 0);

export type SchemaFixture = { version: string; made_at: number; account: Account; rows: Record<string, number> };

const name = `schema-${String(SCHEMA_VERSION).padStart(4, '0')}`;
if (existsSync(join(FOLDER, `${name}.json`)))
  throw new Error(`${name} already exists; delete it to create it again, unless it was released`);
const directory = mkdtempSync(join(tmpdir(), 'agenthub-fixture-'));
const file = join(directory, 'agenthub.db');
const clock = {
  moment: START,
  now: () => clock.moment,
  advance: (milliseconds: number) => void (clock.moment += milliseconds),
};
const passwords = openPasswords({ cost: 4 });
const hub = await openInProcessHub({
  version: VERSION,
  settings: readConfig({ flags: { data: directory, trial_days: '36500' }, env: {} }),
  database: file,
  passwords,
  time: { wall: clock.now, monotonic: clock.now },
});
const account = await live(hub, clock);
const fixture: SchemaFixture = { version: VERSION, made_at: clock.now(), account, rows: await countRows(hub) };
const empty = Object.entries(fixture.rows)
  .filter(([, count]) => count === 0)
  .map(([table]) => table);
if (empty.length > 0) throw new Error(`no rows in ${empty.join(', ')}: add them in schema-fixture/activity.ts`);
await hub.store.close();
await passwords.close();
writeFileSync(join(FOLDER, 'databases', `${name}.db.gz`), gzipSync(readFileSync(file), { level: 9 }));
writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(fixture, null, 2)}\n`);
rmSync(directory, { recursive: true });
process.stdout.write(`created test/store/schemas/databases/${name}.db.gz\n`);

function countRows({ store }: Hub): Promise<Record<string, number>> {
  return store.read(async (reader) => {
    const tables = await reader.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    );
    const rows: Record<string, number> = {};
    for (const { name } of tables)
      rows[name] = (await reader.first<{ count: number }>(`SELECT count(*) AS count FROM ${name}`))?.count ?? 0;
    return rows;
  });
}
