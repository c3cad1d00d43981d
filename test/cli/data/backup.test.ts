// backup: the file it writes, the owner of the file, and the requests it refuses in one line without changing any file.
import {
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { register } from '../../support/http/rest-client.ts';
import { readElsewhere } from '../../support/process/other-process.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { SCHEMA_FIXTURES } from '../../support/store/schema-fixtures.ts';
import { fingerprint } from '../../support/store/stored-data.ts';
import { changed, dataOf, FIRST } from './sample-data.ts';

storyOnce('a backup', (target) => {
  const backup = (data: string, ...rest: string[]) =>
    runToItsEnd({ target, args: ['backup', ...rest, '--data', data] });

  test('of a stopped hub is a copy without temporary files; an older schema is copied without an upgrade', async () => {
    const data = dataOf();
    expect(await backup(data)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^backed up to .*backups\/agenthub-\d{8}-\d{6}Z\.db \(0\.\d MB, checked\)\n$/),
    });
    const directory = temporaryDirectory();
    const others = ['.other.db.part-99999999', `.b.db.part-${process.pid}`];
    for (const name of ['.b.db.part-99999999', '.b.db.part-99999999-journal', ...others])
      writeFileSync(join(directory, name), 'of a backup that was killed or is running');
    expect(await backup(data, join(directory, 'b.db'))).toMatchObject({ code: 0 });
    expect(readdirSync(directory).sort()).toEqual([...others, 'b.db'].sort());

    const old = dataOf(FIRST);
    expect(await backup(old, join(temporaryDirectory(), 'mine.db'))).toMatchObject({ code: 0 });
    const kept = new DatabaseSync(join(old, 'agenthub.db'), { readOnly: true });
    expect(kept.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    kept.close();
  });

  test('and other commands leave the schema of a stopped hub to its version, and say how it is upgraded', async () => {
    const data = dataOf(FIRST);
    const before = fingerprint(data);
    for (const args of [
      ['user', 'list'],
      ['prune', '--dry-run'],
      ['audit', 'log'],
    ])
      expect(await runToItsEnd({ target, args: [...args, '--data', data] })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^agenthub: the database in .* has schema 1, .*: start the hub, which keeps a copy/,
        ),
      });
    expect(fingerprint(data)).toMatchObject(before);
  });

  test('is not written into a directory that does not exist, because it may be mistyped or not mounted', async () => {
    const missing = join(temporaryDirectory(), 'missing');
    expect(await backup(dataOf(), join(missing, 'b.db'))).toMatchObject({
      code: 1,
      stderr: `agenthub: the directory ${missing} does not exist; create or mount it first\n`,
    });
    expect(existsSync(missing)).toBe(false);
  });

  test.each(SCHEMA_FIXTURES)(
    'and an export do not change a byte of a stopped hub of schema $schema',
    async (fixture) => {
      const data = dataOf(fixture);
      const before = fingerprint(data);
      expect(await backup(data, join(temporaryDirectory(), 'b.db'))).toMatchObject({ code: 0 });
      expect(
        await runToItsEnd({ target, args: ['export', join(temporaryDirectory(), 'hub.jsonl'), '--data', data] }),
      ).toMatchObject({ code: 0 });
      expect(fingerprint(data)).toEqual(before);
    },
  );

  test('of a hub that was killed changes none of its rows and creates no lock', async () => {
    const hub = await startHub({ target });
    await register(hub.url);
    await hub.kill('SIGKILL');
    const rowsOf = () => readElsewhere(join(hub.data, 'agenthub.db'), 'SELECT * FROM audit_log');
    const before = await rowsOf();
    rmSync(join(hub.data, 'agenthub.lock'));
    expect(await backup(hub.data, join(temporaryDirectory(), 'b.db'))).toMatchObject({ code: 0 });
    expect(
      await runToItsEnd({ target, args: ['export', join(temporaryDirectory(), 'hub.jsonl'), '--data', hub.data] }),
    ).toMatchObject({ code: 0 });
    expect(await rowsOf()).toEqual(before);
    expect(readdirSync(hub.data)).not.toContain('agenthub.lock');
  });

  test('of a running hub is recorded in its audit log', async () => {
    const hub = await startHub({ target });
    expect(await backup(hub.data)).toMatchObject({ code: 0 });
    expect(readElsewhere(join(hub.data, 'agenthub.db'), 'SELECT actor, action FROM audit_log')).toEqual([
      { actor: 'command line', action: 'hub.backup' },
    ]);
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)(
    'created by root belongs to the owner of the data directory if it is in it, and to root elsewhere',
    async () => {
      const NOBODY = 65_534;
      const data = dataOf(FIRST);
      for (const path of [data, join(data, 'agenthub.db')]) chownSync(path, NOBODY, NOBODY);
      const elsewhere = join(temporaryDirectory(), 'mine.db');
      expect([await backup(data), await backup(data, elsewhere)]).toMatchObject([{ code: 0 }, { code: 0 }]);
      await (await startHub({ target, data })).stop();
      const backups = readdirSync(join(data, 'backups'));
      expect(backups).toHaveLength(2); // the requested one, and the one from before the upgrade
      for (const name of backups)
        expect({ name, uid: statSync(join(data, 'backups', name)).uid }).toEqual({ name, uid: NOBODY });
      expect(statSync(elsewhere).uid).toBe(0);
    },
  );

  test.skipIf(!isRoot)('is not created by root through a link of the owner of the data directory', async () => {
    const NOBODY = 65_534;
    const [data, elsewhere] = [dataOf(FIRST), temporaryDirectory()];
    for (const path of [data, join(data, 'agenthub.db')]) chownSync(path, NOBODY, NOBODY);
    symlinkSync(elsewhere, join(data, 'backups'));
    const refused = {
      code: 1,
      stderr: `agenthub: ${data}/backups is a symbolic link in the directory of another user, which root does not follow; run as that user, or remove it\n`,
    };
    expect(await backup(data)).toMatchObject(refused);
    expect(await runToItsEnd({ target, args: ['user', 'list', '--data', data] })).toMatchObject(refused);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('does not replace another file, and fails for a damaged database or an unwritable path', async () => {
    const data = dataOf();
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'notes.txt'), 'mine');
    expect(await backup(data, join(directory, 'notes.txt'))).toMatchObject({
      code: 1,
      stderr: `agenthub: ${directory}/notes.txt already exists; choose another name, or replace it with --force\n`,
    });
    expect(await backup(data, join(data, 'agenthub.db'), '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already exists; choose another name\n'),
    });
    expect(await backup(data, join(directory, 'notes.txt', 'b.db'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: cannot write [^\n]+\n$/),
    });
    expect(readFileSync(join(directory, 'notes.txt'), 'utf8')).toBe('mine');
    writeFileSync(join(data, 'agenthub.db'), changed(readFileSync(join(data, 'agenthub.db')), 'for another day'));
    for (const suffix of ['-wal', '-shm']) rmSync(join(data, `agenthub.db${suffix}`), { force: true });
    expect(await backup(data, join(directory, 'b.db'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: [^\n]*damaged[^\n]+\n$/),
    });
    expect(readdirSync(directory)).toEqual(['notes.txt']);
    expect(await backup(join(directory, 'none'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no hub in'),
    });
  });
});
