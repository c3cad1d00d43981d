// doctor and config check on a service: its flags and environment are not those of the shell, and root can read files
// that the user of the service cannot.
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../server/domain/health/finding.ts';
import { hasOpenssl, newCertificate } from '../../support/process/certificate.ts';
import { newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const findingsOf = (stdout: string): Finding[] => JSON.parse(stdout).checks;

storyOnce('doctor without the settings of the running hub', (target) => {
  test('names the keys that differ, without values, and checks the values of the hub', async () => {
    const hub = await startHub({
      target,
      args: ['--host', '0.0.0.0', '--backup-schedule', 'hourly'],
      env: { AGENTHUB_METRICS_TOKEN: 'a-secret-for-the-scraper' },
    });
    const { stdout } = await run(newCli(target), ['doctor', '--data', hub.data, '-o', 'json']);
    const found = findingsOf(stdout);
    expect(found).toContainEqual({
      check: 'running settings',
      level: 'warn',
      says: expect.stringMatching(/other values of host, port, registration, backup_schedule than doctor reads here/),
      remedy: expect.stringContaining('restart the hub'),
    });
    expect(found).toContainEqual(expect.objectContaining({ check: 'transport', level: 'warn' }));
    expect(found.find(({ check }) => check === 'backups')?.says).not.toContain('not scheduled');
    expect(stdout).not.toContain('a-secret-for');
  });

  test('has nothing to say about what the unit of the service sets, nor about a backup that is not due yet', async () => {
    const unit = await outputOf(newCli(target), ['systemd', 'print']);
    const env = Object.fromEntries(
      [...unit.matchAll(/^Environment=(\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(Object.keys(env)).not.toEqual([]);
    const schedule = new Date().getHours() < 2 ? '12:00' : '00:00'; // due longer than an hour ago
    const hub = await startHub({ target, args: ['--port', '0', '--backup-schedule', schedule], env });
    const flags = ['--data', hub.data, '--port', '0', '--backup-schedule', schedule];
    const doctor = async (...more: string[]) =>
      findingsOf((await run(newCli(target), ['doctor', ...flags, ...more, '-o', 'json'])).stdout);
    const found = await doctor();
    expect(found.map(({ check }) => check)).not.toContain('running settings');
    expect(found.find(({ check }) => check === 'backups')).toMatchObject({ level: 'ok' });
    expect(
      (await doctor('--require-setup-token', 'false')).find(({ check }) => check === 'running settings'),
    ).toMatchObject({
      says: expect.stringContaining('other values of require_setup_token than'),
    });
  });

  test('has nothing to say if they are the same', async () => {
    const hub = await startHub({ target, args: ['--log-level', 'debug'] });
    const { stdout } = await run(newCli(target), ['doctor', '--data', hub.data, '--port', '0', '-o', 'json']);
    expect(findingsOf(stdout).map(({ check }) => check)).not.toContain('running settings');
  });
});

const SERVICE = 54_321;

describe.skipIf(process.getuid?.() !== 0 || !hasOpenssl)('as root, on a hub of another user', () => {
  const MODES: readonly (readonly [what: string, key: number, group: number, directory: number, readable: boolean])[] =
    [
      ['a key that only root can read', 0o600, 0, 0o755, false],
      ['a key that everybody can read', 0o644, 0, 0o755, true],
      ['a key of its group', 0o640, SERVICE, 0o755, true],
      ['a key of another group', 0o640, 0, 0o755, false],
      ['a key in a directory that it cannot enter', 0o644, 0, 0o700, false],
    ];

  test.each(MODES)('%s', async (_, mode, group, directoryMode, isReadable) => {
    const root = temporaryDirectory();
    chmodSync(root, 0o755);
    const [data, directory] = [join(root, 'data'), join(root, 'tls')];
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, SERVICE, SERVICE);
    mkdirSync(directory);
    const [cert, key] = newCertificate(directory, 'hub.example');
    chmodSync(cert, 0o644);
    chmodSync(key, mode);
    chownSync(key, 0, group);
    chmodSync(directory, directoryMode);
    const flags = ['--data', data, '--port', '0', '--tls-cert', cert, '--tls-key', key];
    const problem = `tls_key names ${key}, which the owner of ${data} (uid ${SERVICE}) cannot read, so the hub of that user does not start`;
    const checked = await run(newCli(ANY_TARGET), ['config', 'check', ...flags]);
    expect(checked.code).toBe(isReadable ? 0 : 2);
    expect(checked.stdout.includes('is valid')).toBe(isReadable);
    expect(checked.stderr.includes(problem)).toBe(!isReadable);
    const { stdout } = await run(newCli(ANY_TARGET), ['doctor', ...flags, '-o', 'json']);
    const found = findingsOf(stdout).find(({ says }) => says === problem);
    expect(found?.level).toBe(isReadable ? undefined : 'fail');
  });

  test.each([
    [
      'a secret that only root can read',
      0o600,
      2,
      'fail',
      /cannot be read by the owner of \S+ \(uid 54321\), so the hub of that user does not/,
    ],
    ['a secret of root that others can read', 0o644, 0, 'warn', /contains a secret and other users can read it/],
  ])('agenthub.json with %s', async (_, mode, code, level, problem) => {
    const root = temporaryDirectory();
    chmodSync(root, 0o755);
    const data = join(root, 'data');
    const file = join(data, 'agenthub.json');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(file, '{"metrics_token": "a-secret-for-the-scraper"}', { mode });
    chownSync(data, SERVICE, SERVICE);
    const remedy = `chown ${SERVICE} ${file} && chmod 600 ${file}`;
    const checked = await run(newCli(ANY_TARGET), ['config', 'check', '--data', data]);
    expect(checked).toMatchObject({ code, stderr: expect.stringMatching(problem) });
    expect(checked.stderr).toContain(remedy);
    const { stdout } = await run(newCli(ANY_TARGET), ['doctor', '--data', data, '--port', '0']);
    expect(stdout).toMatch(new RegExp(`^${level} +configuration .*${problem.source}`, 'm'));
    expect(stdout).toContain(remedy);
    chownSync(file, SERVICE, SERVICE);
    chmodSync(file, 0o600);
    expect(await run(newCli(ANY_TARGET), ['config', 'check', '--data', data])).toMatchObject({ code: 0, stderr: '' });
  });
});
