// The database file gets smaller after rows were removed, while the hub runs.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteNetwork } from '../../server/operations/networks/delete-network.ts';
import { copyDatabase } from '../../server/store/file/copy.ts';
import { applyMigrations } from '../../server/store/file/migrate.ts';
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { onFile } from '../../server/store/file/open.ts';
import { shrink } from '../../server/sweeps/shrink.ts';
import { removeNetworks } from '../../server/sweeps/sweeps.ts';
import { as, type Fixture, openFixture, rowsOf, send } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

const FEW_PAGES = 64;

async function pages({ hub }: Fixture) {
  return hub.store.read((reader) =>
    reader.first(
      'SELECT f.freelist_count AS free, p.page_count AS total FROM pragma_freelist_count f, pragma_page_count p',
    ),
  );
}

/** A hub most of whose rows have been removed. */
async function openEmptied() {
  const fixture = await openFixture();
  const user = as(fixture, { token_kind: 'user' });
  const texts = Array.from({ length: 400 }, (_, number) => `${number} ${'x'.repeat(9_000)}`);
  await Promise.all(texts.map((task, number) => send(fixture, { task, from_session: `s${number}` })));
  await user.ask(deleteNetwork, { network_id: fixture.caller.network_id });
  await removeNetworks(fixture.hub);
  return fixture;
}

test('a file of which most is free gets smaller, in several commits, and stays intact', async () => {
  const fixture = await openEmptied();
  const before = (await pages(fixture)) as { free: number; total: number };
  expect(before.free).toBeGreaterThan(before.total / 2);
  let ms = 0;
  const { pages: given } = await shrink(fixture.hub, () => (ms += 2), FEW_PAGES); // a commit for each two steps
  const after = (await pages(fixture)) as { free: number; total: number };
  expect(given).toBeGreaterThan(before.free / 2);
  expect(after.total).toBeLessThan(before.total / 2);
  expect(await rowsOf(fixture, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(await shrink(fixture.hub, undefined, FEW_PAGES)).toEqual({ pages: 0 });
});

test('a file with little free space stays as it is', async () => {
  const fixture = await openEmptied();
  const before = await pages(fixture);
  expect(await shrink(fixture.hub)).toEqual({ pages: 0 });
  expect(await pages(fixture)).toEqual(before);
});

test('a copy of a file that keeps its free pages gives them back, so that a restored backup shrinks', async () => {
  const directory = temporaryDirectory();
  const older = join(directory, 'older.db');
  const copy = join(directory, 'copy.db');
  await applyMigrations(older, 0, SCHEMA_VERSION);
  await onFile(older, async (client) => {
    await client.execute('PRAGMA auto_vacuum = NONE');
    await client.execute('VACUUM');
  });
  expect(await modeOf(older)).toBe(0);
  await copyDatabase(older, copy);
  expect(await modeOf(copy)).toBe(2);
});

function modeOf(file: string): Promise<unknown> {
  return onFile(file, async (client) => (await client.execute('PRAGMA auto_vacuum')).rows[0]?.['auto_vacuum']);
}
