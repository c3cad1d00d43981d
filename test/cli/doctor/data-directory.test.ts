// doctor on a directory that is not a hub's: it names the mistake, and no remedy that would change the directory.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newCli, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

const doctorOn = (data: string) => run(newCli(ANY_TARGET), ['doctor', '--data', data, '--port', '0']);

function directoryWith(...names: string[]): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data);
  chmodSync(data, 0o755);
  for (const name of names) {
    mkdirSync(join(data, name, '..'), { recursive: true });
    writeFileSync(join(data, name), '{}');
  }
  return data;
}

test.each([
  ['/etc', () => '/etc'],
  ['/', () => '/'],
  ['a directory of another program', () => directoryWith('passwd')],
  ['one with the backups of another program', () => directoryWith('passwd', 'backups/apt.0')],
])('%s is not one of a hub', async (_, directory) => {
  const data = directory();
  const { code, stdout } = await doctorOn(data);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    new RegExp(
      `^fail {2}data directory +${data} is not the data directory of a hub\n +→ .*(correct --data|did you mean)`,
      'm',
    ),
  );
  expect(stdout).not.toMatch(/chmod|chown|permissions/);
});

test.skipIf(!canMount())('a read-only file system is the only finding, and stops a start', async () => {
  const data = temporaryDirectory();
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', data]);
  onTestFinished(() => void spawnSync('umount', [data]));
  const { code, stdout } = await doctorOn(data);
  expect({ code, findings: stdout.match(/^(warn|fail) .*/gm) }).toEqual({
    code: 1,
    findings: [`fail  data directory      the file system of ${data} is mounted read-only`],
  });
  expect(await run(newCli(ANY_TARGET), ['serve', '--data', data, '--port', '0'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the file system of ${data} is mounted read-only; mount it read-write`),
  });
});

test.skipIf(!canMount())('export from a read-only file system says how to get the data out', async () => {
  const data = temporaryDirectory();
  spawnSync('mount', ['-t', 'tmpfs', 'none', data]);
  onTestFinished(() => void spawnSync('umount', [data]));
  writeFileSync(join(data, 'agenthub.db'), 'any');
  spawnSync('mount', ['-o', 'remount,ro', data]);
  expect(await run(newCli(ANY_TARGET), ['export', '--data', data])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/mounted read-only.*; copy agenthub\.db and agenthub\.db-wal to another directory/),
  });
});

test('below /proc, the only finding is that nothing can be stored there', async () => {
  const { code, stdout } = await doctorOn('/proc/agenthub');
  expect({ code, findings: stdout.match(/^(warn|fail) .*/gm) }).toEqual({
    code: 1,
    findings: ['fail  data directory      /proc/agenthub cannot hold files'],
  });
});

function canMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', directory]);
  if (status === 0) spawnSync('umount', [directory]);
  rmdirSync(directory);
  return status === 0;
}

test('the hub below the directory is the one that was meant', async () => {
  const data = directoryWith('passwd', 'agenthub/agenthub.db');
  expect((await doctorOn(data)).stdout).toContain(`did you mean --data ${join(data, 'agenthub')}?`);
});

test.each([
  ['is empty'],
  ['is a new volume', 'lost+found/none'],
  ['has only a configuration', 'agenthub.json'],
  ['has only backups', 'notes.txt', 'backups/agenthub-20260101-000000Z.db'],
])('a directory that %s is one of a hub', async (_, ...names) => {
  const { stdout } = await doctorOn(directoryWith(...names));
  expect(stdout).toMatch(/^warn {2}permissions /m);
  expect(stdout).not.toContain('data directory of a hub');
});

test('a directory that does not exist is a failure', async () => {
  const { code, stdout } = await doctorOn(join(temporaryDirectory(), 'none'));
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {2}data directory +\S+ does not exist$/m);
  expect(stdout).not.toContain('permissions');
});
