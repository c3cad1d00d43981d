// An operator installs the hub as a service with the commands of README.md, finds the setup link, and runs doctor. Only
// the tools that create users and start services are stubs, because a test has no systemd.
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../../build/step.ts';
import { PASSWORD, restClient } from '../../support/http/rest-client.ts';
import { isJailed, launch, programOf, type Target } from '../../support/process/hub-process.ts';
import { newMachine } from '../../support/process/machine.ts';
import { storyOnce } from '../../support/process/running-hub.ts';
import { readmeBlock, readmeBlocks } from '../../support/readme.ts';

storyOnce('installing and configuring', (target) => {
  test.skipIf(isJailed)(
    'the commands of README install a service whose log has the setup link of the first admin',
    async () => {
      const machine = newMachine(target);
      const installed = machine.paste(readmeBlock('Install as a service', 'sh'));
      expect(installed).toMatchObject({ status: 0, stdout: 'the configuration is valid\n', stderr: '' });
      expect(machine.actions()).toEqual([
        expect.stringMatching(/^useradd --system --home-dir \S+ --shell \/usr\/sbin\/nologin agenthub$/),
        'systemctl daemon-reload',
        'systemctl enable --now agenthub',
      ]);

      const [program = '', ...args] =
        /^ExecStart=(.*)$/m.exec(machine.read('units/agenthub.service'))?.[1]?.split(' ') ?? [];
      const hub = launch({
        target,
        args: target === 'binary' ? args : args.slice(args.indexOf('serve')),
        env: { AGENTHUB_PORT: '0' },
      });
      onTestFinished(async () => {
        hub.child.kill('SIGKILL');
        await hub.ended;
      });
      expect(program).toBe(programIn(target, machine.root));
      await expect.poll(hub.stdout).toContain('#setup=');

      writeFileSync(join(machine.root, 'journal'), hub.output());
      const { stdout: link } = machine.paste(readmeBlock('First run', 'sh'));
      expect(link).toMatch(/^https:\/\/hub\.example\.org\/#setup=\w{24}\n$/);
      const url = /"url":"([^"]+)","mcp"/.exec(hub.output())?.[1] ?? '';
      const register = (token?: string) =>
        restClient(url, token).post('/api/auth/register', { username: 'ada', password: PASSWORD });
      expect((await register()).status).toBe(403);
      expect(await register(link.trim().split('=')[1])).toMatchObject({
        status: 200,
        body: { user: { role: 'admin' } },
      });
      expect(await restClient(url).post('/api/auth/register', { username: 'bob', password: PASSWORD })).toMatchObject({
        body: { error: 'invite_required' },
      });

      const [check = '', bundle = ''] = readmeBlocks('Check the hub', 'sh').map(({ text }) => text);
      const { stdout: checkup, status } = machine.paste(check);
      expect(checkup).toMatch(/^ok {4}stream +events arrive without delay$/m);
      expect(checkup).toMatch(/^fail {2}public url +https:\/\/hub\.example\.org does not lead to this hub/m); // this name does not resolve here
      expect(status).toBe(1);
      expect(machine.paste(bundle).stderr).toContain('wrote the support bundle support.json');
      expect(JSON.parse(machine.read('here/support.json'))).toMatchObject({ findings: expect.any(Array) });
    },
  );

  test('the commands of the renewal hook copy certificate and key, and reload the service', () => {
    const machine = newMachine(target);
    const [, hook] = readmeBlocks('TLS without a proxy', 'sh');
    const lineage = join(machine.root, 'lineage');
    mkdirSync(lineage);
    for (const name of ['fullchain.pem', 'privkey.pem']) writeFileSync(join(lineage, name), name, { mode: 0o600 });
    const { status, stderr } = machine.paste(`export RENEWED_LINEAGE=${lineage}\n${hook?.text}`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect([machine.read('etc/cert.pem'), machine.read('etc/key.pem')]).toEqual(['fullchain.pem', 'privkey.pem']);
    expect(statSync(join(machine.root, 'etc/key.pem')).mode & 0o777).toBe(0o640);
    expect(machine.actions()).toEqual(['systemctl reload agenthub']);
  });

  test('the commands for TLS create a service that can use port 443 and finds its files', () => {
    const machine = newMachine(target);
    const [service] = readmeBlocks('TLS without a proxy', 'sh');
    symlinkSync(join(machine.root, 'here/agenthub'), join(machine.root, 'bin/agenthub'));
    const { status, stderr } = machine.paste(service?.text ?? '');
    expect(status).toBe(0);
    expect(stderr).toMatch(WARNING);
    const unit = machine.read('units/agenthub.service');
    expect(unit).toMatch(
      /^ExecStart=.* serve --host 0\.0\.0\.0 --port 443 --data \S+ --tls-cert \S+cert\.pem --tls-key \S+key\.pem$/m,
    );
    expect(unit).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m);
    expect(machine.actions()).toEqual(['systemctl daemon-reload', 'systemctl restart agenthub']);
  });
});

/** What `systemd print` says about the directory in which the tests were built. */
const WARNING = /^\/(var\/)?tmp\//.test(ROOT)
  ? /^agenthub: \S+ is in a temporary directory, .*\n$/
  : /^\/(home|root)\//.test(ROOT)
    ? /^agenthub: \S+ is in a home directory, .*\n$/
    : /^$/;

/** The program that runs in the end, which a unit must name. */
function programIn(target: Target, root: string): string {
  const [file, first] = programOf(target);
  if (target === 'source') return file;
  return first.at(-1) ?? join(root, 'bin/agenthub');
}
