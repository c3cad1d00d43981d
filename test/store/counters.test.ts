// Wrong counters in a database: doctor names them, and the next start counts them again, so that mail goes on.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { applyHostile, WRONG_COUNTERS } from '../../scripts/trust/hostile-changes.ts';
import { checkDatabase } from '../../server/cli/checks/database.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { findWrongCounters } from '../../server/store/counters.ts';
import { SCHEMA_FIXTURES, unpack } from '../support/schema-fixtures.ts';
import { openScene, report, restarted, rowsOf, send, type Scene } from '../support/scene.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

async function sceneWithMail(): Promise<Scene> {
  const scene = await openScene({ max_pending_messages: 5, max_sessions: 5 });
  for (const alias of ['bob', 'eve']) await report(scene, alias);
  for (const task of ['first', 'second', 'third']) await send(scene, { alias: 'bob', task });
  // The integrity check takes no user without a password hash.
  await scene.hub.store.write((tx) => tx.run('UPDATE users SET password_hash = ?', [`$2b$12$${'x'.repeat(53)}`]));
  return scene;
}

const wrongIn = (scene: Scene) => scene.hub.store.read((reader) => findWrongCounters((sql) => reader.all(sql)));

test.each(WRONG_COUNTERS)('$name are named by doctor and counted again at a start', async ({ says, ...change }) => {
  const scene = await sceneWithMail();
  const before = await wrongIn(scene);
  await scene.hub.store.close();
  applyHostile({ says, ...change }, scene.hub.file);

  const found = await checkDatabase(dirname(scene.hub.file));
  expect(found.find(({ check }) => check === 'integrity')).toMatchObject({ level: 'ok' });
  expect(found.find(({ check }) => check === 'counters')).toMatchObject({ level: 'fail', says: expect.stringMatching(says) });

  const warnings: object[] = [];
  scene.hub.log.warn = (fields, message) => void warnings.push({ fields, message });
  const again = await restarted(scene);
  expect(warnings).toContainEqual({
    message: 'some counters did not equal the rows they count, and were counted again',
    fields: expect.objectContaining({ counters: expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching(says) })]) }),
  });
  expect([before, await wrongIn(again)]).toEqual([[], []]);

  for (const { id } of await rowsOf(again, 'SELECT coalesce(id, task_id) AS id FROM messages LEFT JOIN tasks USING (task_seq)')) await again.ask(ackInbox, { alias: 'bob', message_id: String(id) });
  await send(again, { alias: 'bob', task: 'fourth' });
  await report(again, 'new one');
  expect(await wrongIn(again)).toEqual([]);
});

test('a start with right counters writes nothing about them', async () => {
  const scene = await sceneWithMail();
  const warnings: string[] = [];
  scene.hub.log.warn = (_, message) => void warnings.push(message);
  await restarted(scene);
  expect(warnings).toEqual([]);
});

test.each(SCHEMA_FIXTURES)('doctor compares the counters that schema $schema has', async (fixture) => {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  unpack(fixture, join(data, 'agenthub.db'));
  const counters = async () => (await checkDatabase(data)).find(({ check }) => check === 'counters');
  expect(await counters()).toMatchObject({ level: 'ok' });
  new DatabaseSync(join(data, 'agenthub.db')).exec('UPDATE inboxes SET pending = pending + 1');
  expect(await counters()).toMatchObject({ level: 'fail', says: expect.stringMatching(/^inboxes\.pending of \S+ \S+ is \d+, not \d+/) });
});
