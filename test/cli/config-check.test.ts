// config check: all problems and warnings of a configuration in one run, and settings with which no hub could start.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Cli, newCli, run } from '../support/process/command-line.ts';
import { ANY_TARGET, runsAsRoot } from '../support/process/hub-process.ts';
import { runToItsEnd, temporaryDirectory } from '../support/process/running-hub.ts';

const NOBODY = 65_534;

async function verdictOn(cli: Cli, ...args: string[]) {
  const { code, stdout } = await run(cli, ['config', 'check', ...args, '-o', 'json']);
  const verdict: { ok: boolean; problems: string[]; warnings: string[] } = JSON.parse(stdout);
  expect(code).toBe(verdict.ok ? 0 : 2);
  return verdict;
}

function dataWith(content: string): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'agenthub.json'), content, { mode: 0o600 });
  return data;
}

test('values, keys that belong together, unknown keys and the transport are reported in one run', async () => {
  const data = dataWith(
    '{"port": "abc", "Port": 1, "port": "abd", "tls_cert": "cert.pem", "public_url": "http://hub.example"}',
  );
  const cli = newCli(ANY_TARGET, { AGENTHUB_COLOR: 'red' });
  expect(await verdictOn(cli, '--data', data)).toEqual({
    ok: false,
    problems: [
      expect.stringMatching(/^port in .* is "abd" but must be/),
      expect.stringMatching(/^tls_cert and tls_key belong together/),
    ],
    warnings: [
      expect.stringMatching(/port is set more than once/),
      expect.stringMatching(/unknown key Port is ignored; did you mean port\?$/),
      expect.stringMatching(/^unknown variable AGENTHUB_COLOR is ignored/),
      expect.stringContaining('public_url begins with http'),
    ],
  });
  const { code, stdout } = await run(cli, ['doctor', '--data', data, '-o', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).checks.map(({ level }: { level: string }) => level)).toEqual([
    ...['fail', 'fail'],
    ...['warn', 'warn', 'warn'],
  ]);
});

test('what require_tls refuses is not also a warning', async () => {
  const args = ['--data', join(temporaryDirectory(), 'data'), '--host', '0.0.0.0', '--require-tls'];
  expect(await verdictOn(newCli(ANY_TARGET), ...args)).toEqual({
    ok: false,
    problems: [expect.stringContaining('require_tls is true, but others could reach this hub over plain HTTP')],
    warnings: [],
  });
});

test('an http public_url is a warning, for config check and doctor', async () => {
  const data = dataWith('{"public_url": "http://hub.example"}');
  const warning = 'passwords and tokens cross the network unencrypted: public_url begins with http';
  expect(await verdictOn(newCli(ANY_TARGET), '--data', data)).toEqual({
    ok: true,
    problems: [],
    warnings: [expect.stringContaining(warning)],
  });
  const { stdout } = await run(newCli(ANY_TARGET), ['doctor', '--data', data, '--port', '0', '-o', 'json']);
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ check: 'transport', level: 'warn', says: warning }),
  );
});

test('a data directory that is a file, or in one, is a problem', async () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, 'mine');
  const problemsWith = async (data: string) => (await verdictOn(newCli(ANY_TARGET), '--data', data)).problems;
  expect(await problemsWith(file)).toEqual([`${file} is not a directory; choose another with --data`]);
  expect(await problemsWith('/proc/agenthub')).toEqual([
    '/proc/agenthub cannot hold files; choose another with --data',
  ]);
  expect(await problemsWith('/sys')).toEqual(['/sys cannot hold files; choose another with --data']);
  const inside = join(file, 'data');
  expect(await problemsWith(inside)).toEqual([
    `${inside} cannot be created, because ${file} is a file; choose another with --data`,
  ]);
});

test('a data directory that this user cannot create is a problem', async () => {
  const parent = temporaryDirectory();
  chmodSync(parent, 0o555);
  const data = join(parent, 'data');
  const args = ['config', 'check', '--data', data];
  const checked = await runToItsEnd({ target: ANY_TARGET, args, ...(runsAsRoot && { uid: NOBODY }) });
  expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining(`this user cannot create ${data}`) });
  chmodSync(parent, 0o755);
});
