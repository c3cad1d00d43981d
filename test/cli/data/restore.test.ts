// restore: the database it installs, and the files it refuses in one line without changing any file.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../server/store/file/migrations.ts';
import { register, restClient } from '../../support/http/rest-client.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { fingerprint } from '../../support/store/stored-data.ts';
import { changed, dataOf, FIRST } from './sample-data.ts';

storyOnce('an invalid backup', (target) => {
  test('is refused for every kind of defect, and nothing changes', async () => {
    const data = dataOf();
    const sound = readFileSync(join(data, 'agenthub.db'));
    writeFileSync(join(data, 'agenthub.lock'), '', { mode: 0o600 });
    const directory = temporaryDirectory();
    const files: [name: string, content: Uint8Array | string, line: string][] = [
      ['text', 'no database at all\n'.repeat(300), 'cannot be opened as a database'],
      ['empty', '', 'is empty'],
      ['cut', sound.subarray(0, 40_000), 'damaged'],
      ['flipped', changed(sound, 'for another day'), 'is damaged'],
    ];
    for (const [name, content] of files) writeFileSync(join(directory, name), content);
    cpSync(join(data, 'agenthub.db'), join(directory, 'newer'));
    const newer = new DatabaseSync(join(directory, 'newer'));
    newer.exec('PRAGMA journal_mode = delete; PRAGMA user_version = 99');
    newer.close();
    const foreign = new DatabaseSync(join(directory, 'foreign'));
    foreign.exec('CREATE TABLE songs (title TEXT)');
    foreign.close();
    cpSync(join(data, 'agenthub.db'), join(directory, 'used up'));
    const usedUp = new DatabaseSync(join(directory, 'used up'));
    usedUp.exec(
      `PRAGMA journal_mode = delete; UPDATE sqlite_sequence SET seq = ${2 ** 46 + 1} WHERE name = 'messages'`,
    );
    usedUp.close();
    mkdirSync(join(directory, 'directory'));
    const before = [fingerprint(data), fingerprint(directory)];
    const wrong: [file: string, line: string][] = [
      ...files.map(([name, , line]): [string, string] => [join(directory, name), line]),
      [join(directory, 'newer'), `has schema 99, but this agenthub supports schemas up to ${SCHEMA_VERSION}`],
      [join(directory, 'foreign'), 'is a database of another program'],
      [
        join(directory, 'used up'),
        `the last number of messages is ${2 ** 46 + 1}, and at most ${2 ** 46} leaves enough`,
      ],
      [join(directory, 'directory'), 'there is no file'],
      [join(directory, 'none'), 'there is no file'],
      [join(data, 'agenthub.db'), 'is the database itself'],
    ];
    for (const [file, line] of wrong) {
      const { code, stdout, stderr } = await runToItsEnd({ target, args: ['restore', file, '--data', data] });
      expect.soft({ file, code, stdout }).toEqual({ file, code: 1, stdout: '' });
      expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
      expect.soft(stderr).toContain(line);
      expect.soft(stderr).toContain(file);
    }
    expect([fingerprint(data), fingerprint(directory)]).toEqual(before);
    await runToItsEnd({ target, args: ['restore', join(directory, 'text'), '--data', join(directory, 'new')] });
    expect(existsSync(join(directory, 'new'))).toBe(false);
  });

  test('a running hub is not replaced and keeps running', async () => {
    const hub = await startHub({ target });
    const file = join(dataOf(), 'agenthub.db');
    const { code, stderr } = await runToItsEnd({ target, args: ['restore', file, '--data', hub.data] });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: another agenthub is using this data directory[^\n]+\n$/),
    });
    expect((await fetch(`${hub.url}/health`)).status).toBe(200);
    expect(await hub.stop()).toBe(0);
  });
});

storyOnce('a restore', (target) => {
  test('corrects counters that do not match their rows, and reports it', async () => {
    const file = join(dataOf(), 'agenthub.db');
    const database = new DatabaseSync(file);
    database.exec('UPDATE task_counts SET tasks = tasks + 3');
    database.close();
    const data = join(temporaryDirectory(), 'data');
    const { code, stdout } = await runToItsEnd({ target, args: ['restore', file, '--data', data] });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/\b[1-9]\d* wrong counters? corrected\b/),
    });
    const { stdout: report } = await runToItsEnd({ target, args: ['doctor', '--data', data, '--port', '0'] });
    expect(report).toMatch(/^ok +counters +each counter matches its rows$/m);
  });

  test.each(['restore', 'import'])(
    'keeps the log of a database that is missing or empty, if a %s replaces it',
    async (command) => {
      const other = dataOf();
      const lines = join(temporaryDirectory(), 'hub.jsonl');
      const file = command === 'restore' ? join(other, 'agenthub.db') : lines;
      expect(await runToItsEnd({ target, args: ['export', lines, '--data', other] })).toMatchObject({ code: 0 });
      for (const left of ['nothing', 'an empty file']) {
        const hub = await startHub({ target });
        const { userToken } = await register(hub.url);
        await hub.kill('SIGKILL');
        const [database, log] = [join(hub.data, 'agenthub.db'), join(hub.data, 'agenthub.db-wal')];
        const moved = join(temporaryDirectory(), 'agenthub.db');
        renameSync(database, moved);
        if (left === 'an empty file') writeFileSync(database, '');
        const written = readFileSync(log);
        const place = (...more: string[]) =>
          runToItsEnd({ target, args: [command, file, '--data', hub.data, '-o', 'json', ...more] });
        if (command === 'import') {
          expect((await place()).code).toBe(1);
          expect(readFileSync(log)).toEqual(written);
        }
        const { code, stdout } = await place(...(command === 'import' ? ['--replace'] : []));
        const kept: string = JSON.parse(stdout).kept;
        expect([code, kept.endsWith('-wal')]).toEqual([0, left === 'nothing']);
        const keptLog = left === 'nothing' ? kept : `${kept}-wal`;
        expect(readFileSync(keptLog)).toEqual(written);
        expect(readdirSync(hub.data).filter((name) => name.includes('.new'))).toEqual([]);

        const again = temporaryDirectory();
        copyFileSync(moved, join(again, 'agenthub.db'));
        copyFileSync(keptLog, join(again, 'agenthub.db-wal'));
        const whole = await startHub({ target, data: again });
        expect((await restClient(whole.url, userToken).get('/api/auth/me')).status).toBe(200);
        expect(await whole.stop()).toBe(0);
      }
    },
  );

  test('replaces a newer database, a damaged one, and one whose hub was killed', async () => {
    const file = join(dataOf(FIRST), 'agenthub.db');
    const hub = await startHub({ target });
    await hub.kill('SIGKILL');
    const newer = dataOf();
    const database = new DatabaseSync(join(newer, 'agenthub.db'));
    database.exec('PRAGMA user_version = 99');
    database.close();
    const damaged = dataOf();
    writeFileSync(join(damaged, 'agenthub.db'), 'no database');
    writeFileSync(join(damaged, 'agenthub.db-wal'), 'nor its log');
    for (const data of [newer, damaged, hub.data]) {
      const { code, stdout } = await runToItsEnd({ target, args: ['restore', file, '--data', data, '-o', 'json'] });
      const { kept } = JSON.parse(stdout);
      expect([code, existsSync(kept), existsSync(`${kept}-wal`)]).toEqual([0, true, data === damaged]);
      const again = await startHub({ target, data });
      expect(await again.stop()).toBe(0);
    }
  });
});
