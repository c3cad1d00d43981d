// The operator commands config, paths, healthcheck and systemd: their output, and that they change nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warningAbout } from '../../../server/cli/systemd-unit.ts';
import { newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';

const SECRET = 'abcdefghijklmnop';

function cliWith(content: object): ReturnType<typeof newCli> {
  const cli = newCli(ANY_TARGET);
  mkdirSync(join(cli.home, 'agenthub-data'));
  writeFileSync(join(cli.home, 'agenthub-data', 'agenthub.json'), JSON.stringify(content), { mode: 0o600 });
  return cli;
}

describe('config', () => {
  test('config print takes a list with commas, and with a flag for each item', async () => {
    const hosts = ['--allowed-host', 'a.example,b.example', '--allowed-host', 'c.example'];
    const { stdout } = await run(cliWith({}), ['config', 'print', ...hosts]);
    expect(stdout).toMatch(/^allowed_hosts +a\.example, ?b\.example, ?c\.example /m);
  });

  test('print shows the source of each value and hides secrets', async () => {
    const cli = cliWith({ port: 8080, metrics_token: SECRET, prot: 1 });
    const { code, stdout, stderr } = await run(cli, ['config', 'print', '--trial-days', '14', '-o', 'json'], {
      env: { AGENTHUB_LOG_LEVEL: 'warn' },
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^\{"note":".*: unknown key prot is ignored; did you mean port\?"\}\n$/),
    });
    const { file, settings } = JSON.parse(stdout);
    expect(file).toBe(join(cli.home, 'agenthub-data', 'agenthub.json'));
    expect(settings).toMatchObject({
      port: { value: 8080, source: 'file', spelling: `port in ${file}` },
      trial_days: { value: 14, source: 'flag', spelling: '--trial-days' },
      log_level: { value: 'warn', source: 'environment', spelling: 'AGENTHUB_LOG_LEVEL' },
      host: { value: '127.0.0.1', source: 'default' },
      metrics_token: { value: '(hidden)', source: 'file' },
    });
    expect(stdout).not.toContain(SECRET);
    expect(await outputOf(cli, ['config', 'print'])).toMatch(/^port +8080 +port in .*agenthub\.json$/m);
  });

  test('check reports all problems at once, or that the configuration is valid', async () => {
    const cli = cliWith({ port: 'many' });
    const { code, stdout, stderr } = await run(cli, ['config', 'check', '--log-level', 'loud']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^agenthub: port in .*"many"/),
      expect.stringMatching(/^agenthub: --log-level is "loud"/),
    ]);
    expect(await outputOf(cli, ['config', 'check', '--port', '0'])).toBe('the configuration is valid\n');
    expect(JSON.parse((await run(cli, ['config', 'check', '-o', 'json'])).stdout)).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('"many"')],
    });
  });

  test('check reads the TLS files', async () => {
    const cli = newCli(ANY_TARGET);
    const { code, stderr } = await run(cli, ['config', 'check', '--tls-cert', 'no.pem', '--tls-key', 'no.pem']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: ['tls_cert', 'tls_key']
        .map((key) => `agenthub: ${key} names ${join(cli.home, 'no.pem')}, which cannot be read: ENOENT\n`)
        .join(''),
    });
  });
});

test('paths shows every location and creates none', async () => {
  const cli = newCli(ANY_TARGET);
  const places = JSON.parse(await outputOf(cli, ['paths', '-o', 'json']));
  expect(places).toMatchObject({
    data: { path: join(cli.home, 'agenthub-data'), exists: false },
    database: { path: join(cli.home, 'agenthub-data', 'agenthub.db') },
    credentials: { path: join(cli.home, '.config/agenthub/credentials.json') },
  });
  expect(await outputOf(cli, ['paths', '--data', '/srv/hub'])).toMatch(/^config +\/srv\/hub\/agenthub\.json +no /m);
  expect(readdirSync(cli.home)).toEqual([]);
});

test('healthcheck without a running hub exits with code 1', async () => {
  const { code, stdout, stderr } = await run(newCli(ANY_TARGET), ['healthcheck', '--port', '9']);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'agenthub: no response from http://127.0.0.1:9/health (ECONNREFUSED)\n',
  });
});

test('healthcheck finds a running hub by its data directory, and says when it is gone', async () => {
  const { hub } = await hubOfAda({ target: ANY_TARGET });
  const check = () => run(newCli(ANY_TARGET), ['healthcheck', '--data', hub.data]);
  expect(await check()).toMatchObject({ code: 0, stderr: '' });
  expect(await hub.stop()).toBe(0);
  expect((await check()).code).toBe(1);
});

describe('systemd print', () => {
  const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

  test('prints a unit that allows JIT compilation and contains the flags', async () => {
    const unit = await outputOf(newCli(ANY_TARGET), [
      'systemd',
      'print',
      '--port',
      '443',
      '--data',
      '/srv/my hub',
      '--user',
      'hub',
    ]);
    expect(unit).toMatch(/^ExecStart=.* serve --port 443 --data "\/srv\/my hub"$/m);
    expect(unit).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m);
    expect(unit).toMatch(/^ReadWritePaths="\/srv\/my hub"$/m);
    expect(unit).toMatch(/^User=hub$/m);
    expect(unit).toMatch(/^TimeoutStopSec=15$/m);
    const slow = await outputOf(newCli(ANY_TARGET), ['systemd', 'print', '--drain-seconds', '30']);
    expect(slow).toMatch(/^TimeoutStopSec=45$/m);
    expect(unit).toMatch(/^LimitNOFILE=65536$/m);
    expect(unit).toMatch(/^MemoryMax=75%$/m);
    expect(unit).toMatch(/^StartLimitBurst=5$/m);
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });

  test('makes systemd wait until the hub is ready, and restart a blocked one, where systemd-notify is installed', async () => {
    const { stdout: unit, stderr } = await run(newCli(ANY_TARGET), ['systemd', 'print']);
    const hasNotify = existsSync('/usr/bin/systemd-notify') || existsSync('/bin/systemd-notify');
    expect(stderr.includes('systemd-notify is not installed here')).toBe(!hasNotify);
    const outputOfType = (type: string) => outputOf(newCli(ANY_TARGET), ['systemd', 'print', '--type', type]);
    expect(await outputOfType('notify')).toMatch(/^Type=notify$/m);
    expect(await outputOfType('exec')).toMatch(/^Type=exec$/m);
    expect(unit).toMatch(hasNotify ? /^Type=notify\nNotifyAccess=all\n(#.*\n)?WatchdogSec=60$/m : /^Type=exec$/m);
  });

  test('names the settings of the shell that the unit does not have', async () => {
    const env = { AGENTHUB_DATABASE: 'postgres://hub:secret@db.example.org/hub', AGENTHUB_HOST: '192.0.2.1' };
    const { stdout, stderr } = await run(newCli(ANY_TARGET, env), ['systemd', 'print', '--port', '8080']);
    expect(stderr).toContain(
      'the unit does not have the settings of this shell (AGENTHUB_HOST, AGENTHUB_DATABASE): write them into /etc/agenthub/agenthub.env',
    );
    expect(stdout + stderr).not.toContain('secret');
  });

  test.each([
    ['/tmp/agenthub', /is in a temporary directory/],
    ['/var/tmp/hub/agenthub', /is in a temporary directory/],
    ['/home/ada/agenthub', /is in a home directory/],
    ['/root/agenthub', /is in a home directory/],
    ['/usr/local/bin/agenthub', undefined],
    ['/opt/tmp/agenthub', undefined],
  ])('an executable at %s', (program, expected) => {
    const warning = warningAbout(program);
    if (expected === undefined) expect(warning).toBeUndefined();
    else expect(warning).toMatch(expected);
  });

  test.skipIf(!hasVerify)('passes systemd-analyze verify', async () => {
    const cli = newCli(ANY_TARGET);
    const file = join(cli.home, 'agenthub.service');
    writeFileSync(file, await outputOf(cli, ['systemd', 'print']));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

test('alerts print: --job names the scrape job, in every rule that needs it', async () => {
  const cli = newCli(ANY_TARGET);
  const rules = await outputOf(cli, ['alerts', 'print', '--job', 'agents hub']);
  expect(rules.replaceAll('\\', '').match(/\{job="agents hub"\}/g)).toHaveLength(3);
  expect(rules).not.toContain('$job');
  const { code, stderr } = await run(cli, ['alerts', 'print', '--job', 'a"b']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('It must be 1 to 100 letters') });
});

test('alerts print: every metric of its rules is one that a hub returns', async () => {
  const { hub } = await hubOfAda({ target: ANY_TARGET });
  const names = new Set(
    (await (await fetch(`${hub.url}/metrics`)).text())
      .split('\n')
      .flatMap((line) => /^# TYPE (\S+) (?:counter|gauge)$/.exec(line)?.[1] ?? []),
  );
  const rules = await outputOf(newCli(ANY_TARGET), ['alerts', 'print']);
  expect(rules).toMatch(
    /^# For a hub .* job "agenthub"\.\ngroups:\n {2}- name: agenthub\n {4}rules:\n {6}- alert: \w+\n {8}expr: "/,
  );
  const expressions = [...rules.matchAll(/^ {8}expr: (".*")$/gm)].map(([, text = '']): string => JSON.parse(text));
  expect(expressions).toHaveLength(rules.match(/^ {6}- alert: Agenthub\w+$/gm)?.length ?? 0);
  expect(expressions).toContain('up{job="agenthub"} == 0');
  const used = expressions.flatMap((expression) => expression.match(/\b(?:agenthub|process|nodejs)_\w+/g) ?? []);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
  for (const topic of ['disk', 'fds', 'clock_ahead', 'stalls', 'queue_age', 'notifications', 'requests_total'])
    expect(
      used.some((name) => name.includes(topic)),
      topic,
    ).toBe(true);
});
