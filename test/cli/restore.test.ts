// What backup and restore refuse, in one line each, with every file left as it was.
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../server/store/schema.ts';
import { SCHEMA_FIXTURES, unpack } from '../support/schema-fixtures.ts';
import { onePlay, runToItsEnd, startHub, temporaryDirectory } from '../support/running-hub.ts';
import { fingerprint } from '../support/stored-data.ts';

const [FIRST] = SCHEMA_FIXTURES;
const NEWEST = SCHEMA_FIXTURES.at(-1);

function dataOf(fixture = NEWEST): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  if (fixture !== undefined) unpack(fixture, join(data, 'agenthub.db'));
  return data;
}

function changed(bytes: Uint8Array, text: string): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.fill(0, copy.indexOf(text), copy.indexOf(text) + 40);
  return copy;
}

onePlay('a backup that is none', (target) => {
  test('is refused, whatever is wrong with it, and nothing changes', async () => {
    const data = dataOf();
    const sound = readFileSync(join(data, 'agenthub.db'));
    writeFileSync(join(data, 'agenthub.lock'), '', { mode: 0o600 });
    const place = temporaryDirectory();
    const files: [name: string, content: Uint8Array | string, line: string][] = [
      ['text', 'no database at all\n'.repeat(300), 'cannot be opened as a database'],
      ['empty', '', 'is empty'],
      ['cut', sound.subarray(0, 40_000), 'damaged'],
      ['flipped', changed(sound, 'for another day'), 'is damaged'],
    ];
    for (const [name, content] of files) writeFileSync(join(place, name), content);
    const newer = new DatabaseSync((cpSync(join(data, 'agenthub.db'), join(place, 'newer')), join(place, 'newer')));
    newer.exec('PRAGMA journal_mode = delete; PRAGMA user_version = 99');
    newer.close();
    const foreign = new DatabaseSync(join(place, 'foreign'));
    foreign.exec('CREATE TABLE songs (title TEXT)');
    foreign.close();
    mkdirSync(join(place, 'directory'));
    const before = [fingerprint(data), fingerprint(place)];
    const wrong: [file: string, line: string][] = [
      ...files.map(([name, , line]): [string, string] => [join(place, name), line]),
      [join(place, 'newer'), `has schema 99, and this agenthub knows schemas up to ${SCHEMA_VERSION}`],
      [join(place, 'foreign'), 'is a database of another program'],
      [join(place, 'directory'), 'there is no file'],
      [join(place, 'none'), 'there is no file'],
      [join(data, 'agenthub.db'), 'is the database itself'],
    ];
    for (const [file, line] of wrong) {
      const { code, stdout, stderr } = await runToItsEnd({ target, args: ['restore', file, '--data', data] });
      expect.soft({ file, code, stdout }).toEqual({ file, code: 1, stdout: '' });
      expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
      expect.soft(stderr).toContain(line);
      expect.soft(stderr).toContain(file);
    }
    expect([fingerprint(data), fingerprint(place)]).toEqual(before);
    await runToItsEnd({ target, args: ['restore', join(place, 'text'), '--data', join(place, 'new')] });
    expect(existsSync(join(place, 'new'))).toBe(false);
  });

  test('a hub that runs is not restored over, and goes on', async () => {
    const hub = await startHub({ target });
    const file = join(dataOf(), 'agenthub.db');
    const { code, stderr } = await runToItsEnd({ target, args: ['restore', file, '--data', hub.data] });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^agenthub: another agenthub runs on this data directory[^\n]+\n$/) });
    expect((await fetch(`${hub.url}/health`)).status).toBe(200);
    expect(await hub.stop()).toBe(0);
  });
});

onePlay('a backup', (target) => {
  const backup = (data: string, ...rest: string[]) => runToItsEnd({ target, args: ['backup', ...rest, '--data', data] });

  test('of a stopped hub is recorded in it; an older schema is copied as it is and not upgraded', async () => {
    const data = dataOf();
    expect(await backup(data)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^backed up to .*backups\/agenthub-\d{8}-\d{6}Z\.db \(0\.\d MB, checked\)\n$/) });
    const place = temporaryDirectory();
    const others = ['.other.db.part-99999999', `.b.db.part-${process.pid}`];
    for (const name of ['.b.db.part-99999999', '.b.db.part-99999999-journal', ...others]) writeFileSync(join(place, name), 'of a backup that was killed, or goes on');
    expect(await backup(data, join(place, 'b.db'))).toMatchObject({ code: 0 });
    expect(readdirSync(place).sort()).toEqual([...others, 'b.db'].sort());

    const database = new DatabaseSync(join(data, 'agenthub.db'), { readOnly: true });
    expect(database.prepare("SELECT count(*) AS count FROM audit_log WHERE action = 'hub.backup'").get()).toEqual({ count: 2 });
    database.close();

    const old = dataOf(FIRST);
    expect(await backup(old, join(temporaryDirectory(), 'sub', 'mine.db'))).toMatchObject({ code: 0 });
    const kept = new DatabaseSync(join(old, 'agenthub.db'), { readOnly: true });
    expect(kept.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    kept.close();
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)('that root makes belongs to the user of the data directory where it lies there, and to root elsewhere', async () => {
    const NOBODY = 65_534;
    const data = dataOf(FIRST);
    for (const path of [data, join(data, 'agenthub.db')]) chownSync(path, NOBODY, NOBODY);
    const elsewhere = join(temporaryDirectory(), 'mine.db');
    expect([await backup(data), await backup(data, elsewhere)]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(await runToItsEnd({ target, args: ['user', 'list', '--data', data] })).toMatchObject({ code: 0 });
    const backups = readdirSync(join(data, 'backups'));
    expect(backups).toHaveLength(2); // the one that was asked for, and the one from before the upgrade
    for (const name of backups) expect({ name, uid: statSync(join(data, 'backups', name)).uid }).toEqual({ name, uid: NOBODY });
    expect(statSync(elsewhere).uid).toBe(0);
  });

  test('is not written over another file, nor from a damaged database, nor where nothing can be written', async () => {
    const data = dataOf();
    const place = temporaryDirectory();
    writeFileSync(join(place, 'notes.txt'), 'mine');
    expect(await backup(data, join(place, 'notes.txt'))).toMatchObject({ code: 1, stderr: `agenthub: ${place}/notes.txt is there already; name a new file, or replace it with --force\n` });
    expect(await backup(data, join(data, 'agenthub.db'), '--force')).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already; name a new file\n') });
    expect(await backup(data, join(place, 'notes.txt', 'b.db'))).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agenthub: cannot write [^\n]+\n$/) });
    expect(readFileSync(join(place, 'notes.txt'), 'utf8')).toBe('mine');
    writeFileSync(join(data, 'agenthub.db'), changed(readFileSync(join(data, 'agenthub.db')), 'for another day'));
    for (const suffix of ['-wal', '-shm']) rmSync(join(data, `agenthub.db${suffix}`), { force: true });
    expect(await backup(data, join(place, 'b.db'))).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agenthub: [^\n]*damaged[^\n]+\n$/) });
    expect(readdirSync(place)).toEqual(['notes.txt']);
    expect(await backup(join(place, 'none'))).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no hub in') });
  });
});

onePlay('a restore', (target) => {
  test('puts a backup in the place of a newer database, of one that is damaged, and of one that was killed at work', async () => {
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
