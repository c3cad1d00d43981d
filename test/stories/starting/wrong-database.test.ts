// A hub cannot start on its database: it is unreadable, newer, foreign, damaged, or not a database.
import {
  chmodSync,
  chownSync,
  cpSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../server/store/file/migrations.ts';
import { register, restClient } from '../../support/http/rest-client.ts';
import { runsAsRoot } from '../../support/process/hub-process.ts';
import { expectRefusal, on, usedData } from '../../support/process/refused-start.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const NOBODY = 65_534;

storyOnce('starting on an invalid database', (target) => {
  test('the database belongs to another user and cannot be opened', async () => {
    const data = await usedData(target);
    chmodSync(data, 0o777);
    chmodSync(join(data, 'agenthub.lock'), 0o666);
    chmodSync(join(data, 'agenthub.db'), 0o000);
    await expectRefusal(
      { target, args: on(data), ...(runsAsRoot && { uid: NOBODY }) },
      data,
      join(data, 'agenthub.db'),
    );
  });

  test.skipIf(!runsAsRoot).each([
    ['agenthub.db', 1],
    ['agenthub.db-wal', 1],
    ['agenthub.db-reserve', 1],
    ['agenthub.lock', 1],
    ['agenthub.sock', 1],
    ['backups', 1],
    ['agenthub.json', 2],
  ])('root finds a link for %s in the directory of another user, and does not follow it', async (name, exitCode) => {
    const [data, elsewhere] = [temporaryDirectory(), temporaryDirectory()];
    chownSync(data, NOBODY, NOBODY);
    symlinkSync(join(elsewhere, 'made'), join(data, name));
    const { code, stderr } = await runToItsEnd({ target, args: on(data) });
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(`${join(data, name)} is a symbolic link`)]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('the database is that of a running hub, through a link', async () => {
    const hub = await startHub({ target, data: await usedData(target) });
    const linked = temporaryDirectory();
    symlinkSync(join(hub.data, 'agenthub.db'), join(linked, 'agenthub.db'));
    const { code, stderr } = await runToItsEnd({ target, args: on(linked) });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${join(hub.data, 'agenthub.lock')} is locked`)]);
    expect(await hub.stop()).toBe(0);
    const other = await startHub({ target, data: linked });
    const again = await runToItsEnd({ target, args: on(hub.data) });
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is locked')]);
    expect(await other.stop()).toBe(0);
  });

  test('the database has another name, under which it would have another log', async () => {
    const data = await usedData(target);
    linkSync(join(data, 'agenthub.db'), join(temporaryDirectory(), 'agenthub.db'));
    await expectRefusal({ target, args: on(data) }, data, `${join(data, 'agenthub.db')} has 2 names (hard links)`);
  });

  test('the database is newer than the program', async () => {
    const data = await usedData(target);
    execute(data, 'PRAGMA user_version = 99');
    const cause = `${join(data, 'agenthub.db')} has schema 99, but this agenthub supports schemas up to ${SCHEMA_VERSION}`;
    await expectRefusal({ target, args: on(data) }, data, cause);
  });

  test('the database is newer or foreign, without a log: no other file is created', async () => {
    for (const [mark, cause] of [
      ['user_version = 99', 'has schema 99'],
      ['application_id = 42', 'is a database of another program'],
    ] as const) {
      const [data, alone] = [await usedData(target), temporaryDirectory()];
      execute(data, `PRAGMA ${mark}`);
      cpSync(join(data, 'agenthub.db'), join(alone, 'agenthub.db'));
      await expectRefusal({ target, args: on(alone) }, alone, cause);
    }
  });

  // Opening a database that a killed program left makes SQLite move the log into it. Its bytes change, but its content
  // does not.
  test('the database is newer, and its last program was killed', async () => {
    const hub = await startHub({ target });
    const { userToken } = await register(hub.url);
    await hub.kill('SIGKILL');
    const left = temporaryDirectory();
    execute(hub.data, 'PRAGMA user_version = 99', () =>
      cpSync(hub.data, left, { recursive: true, filter: (path) => !path.endsWith('.sock') }),
    );
    const { code, stderr } = await runToItsEnd({ target, args: on(left) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^agenthub: [^\n]+ has schema 99, [^\n]+\n$/);

    execute(left, `PRAGMA user_version = ${SCHEMA_VERSION}`);
    const restored = await startHub({ target, data: left });
    expect((await restClient(restored.url, userToken).get('/api/auth/me')).status).toBe(200);
  });

  test('the database is empty or missing, but its log has data: the log is not deleted', async () => {
    const hub = await startHub({ target });
    const { userToken } = await register(hub.url);
    await hub.kill('SIGKILL');
    const [data, log, kept] = ['agenthub.db', 'agenthub.db-wal', 'kept'].map((name) => join(hub.data, name)) as [
      string,
      string,
      string,
    ];
    expect(statSync(log).size).toBeGreaterThan(0);
    renameSync(data, kept);
    await expectRefusal({ target, args: on(hub.data) }, hub.data, `${data} is missing, but its log ${log} has data`);
    expect(await runToItsEnd({ target, args: ['user', 'list', '--data', hub.data] })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${data} is missing, but its log ${log} has data; put the file back`),
    });
    writeFileSync(data, '');
    await expectRefusal({ target, args: on(hub.data) }, hub.data, `${data} is empty, but its log ${log} has data`);
    renameSync(kept, data);
    const again = await startHub({ target, data: hub.data });
    expect((await restClient(again.url, userToken).get('/api/auth/me')).status).toBe(200);
  });

  test('the database is empty', async () => {
    const data = await usedData(target);
    writeFileSync(join(data, 'agenthub.db'), '');
    await expectRefusal({ target, args: on(data) }, data, `${join(data, 'agenthub.db')} is empty`);
  });

  test('the database is missing, but there are backups: the hub is empty and says so', async () => {
    const data = await usedData(target);
    cpSync(join(data, 'agenthub.db'), join(data, 'backups', 'agenthub-20260101-000000.db'), { recursive: true });
    for (const name of readdirSync(data).filter((each) => each.startsWith('agenthub.db'))) rmSync(join(data, name));
    const hub = await startHub({ target, data });
    await expect
      .poll(() => hub.output())
      .toContain('there was no database, so the hub is empty; to continue with a backup');
  });

  test('the database belongs to another program', async () => {
    const data = temporaryDirectory();
    execute(data, 'CREATE TABLE recipes (name TEXT)');
    const cause = `${join(data, 'agenthub.db')} is a database of another program`;
    await expectRefusal({ target, args: on(data) }, data, cause);
  });

  test('the database is damaged', async () => {
    const data = await usedData(target);
    const database = new DatabaseSync(join(data, 'agenthub.db'));
    onTestFinished(() => database.close()); // the program creates a log next to a damaged file, so it exists beforehand
    database.exec(
      "INSERT INTO audit_log (actor, action, target_type, created_at) VALUES ('test', CAST(x'ff' AS TEXT), 'test', 0)",
    );
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    await expectRefusal(
      { target, args: on(data) },
      data,
      `${join(data, 'agenthub.db')} is damaged (a text in audit_log is not UTF-8)`,
    );
  });

  test('the file is not a database', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'agenthub.db'), 'Dear diary, today I chose a file name that was taken.\n'.repeat(100));
    await expectRefusal({ target, args: on(data) }, data, join(data, 'agenthub.db'));
  });
});

/** `whileOpen` runs before the connection is closed, which moves the log into the database and removes it. */
function execute(data: string, sql: string, whileOpen = (): void => {}): void {
  const database = new DatabaseSync(join(data, 'agenthub.db'));
  database.exec(sql);
  whileOpen();
  database.close();
}
