// A hub that others can reach over plain HTTP warns of it, at its start and when its configuration is checked, and
// refuses to start so if the operator requires TLS.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newCli, run } from '../../support/process/command-line.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const WARNING = 'passwords and tokens cross the network unencrypted';
const OPEN = ['--host', '0.0.0.0'];

storyOnce('plain HTTP', (target) => {
  test('that others can reach is warned of at start, by config check and by doctor', async () => {
    const hub = await startHub({ target, args: OPEN });
    await expect.poll(hub.output).toMatch(new RegExp(`"level":"warn",.*${WARNING}.*set tls_cert and tls_key`));
    const data = ['--data', hub.data, ...OPEN];
    const checked = await run(newCli(target), ['config', 'check', ...data]);
    expect(checked).toMatchObject({ code: 0, stderr: expect.stringContaining(WARNING) });
    const { stdout } = await run(newCli(target), ['doctor', ...data, '-o', 'json']);
    expect(JSON.parse(stdout).checks).toContainEqual({
      check: 'transport',
      level: 'warn',
      says: expect.stringContaining(WARNING),
      remedy: expect.stringContaining('set tls_cert and tls_key'),
    });
  });

  test.each([
    ['on a loopback address', []],
    ['behind a declared proxy', [...OPEN, '--trust-proxy', '1']],
  ])('%s needs no warning and may be required', async (_, args) => {
    const hub = await startHub({ target, args: [...args, '--require-tls'] });
    expect((await fetch(`${hub.url.replace('0.0.0.0', '127.0.0.1')}/health`)).status).toBe(200);
    expect(hub.output()).not.toContain(WARNING);
  });

  test('behind a declared proxy is left to the proxy, which the log says; the setup link has the scheme of public_url', async () => {
    const args = [...OPEN, '--trust-proxy', '1', '--require-tls'];
    const hub = await startHub({ target, args });
    await expect.poll(hub.output).toContain('https must come from the reverse proxy');
    await expect.poll(hub.output).toMatch(/"url":"http:\/\/[^"]*#setup=/);
    const named = await startHub({ target, args: [...args, '--public-url', 'https://hub.example'] });
    await expect.poll(named.output).toContain('"url":"https://hub.example/#setup=');
  });

  test('is refused with --require-tls, also from the file, before anything is created', async () => {
    const data = temporaryDirectory();
    const refusal =
      /^agenthub: require_tls is true, but others could reach this hub over plain HTTP: set tls_cert[^\n]*\n$/;
    const refused = { code: 2, stdout: '', stderr: expect.stringMatching(refusal) };
    const given = ['serve', '--port', '0', '--data', data, ...OPEN];
    expect(await runToItsEnd({ target, args: [...given, '--require-tls'] })).toMatchObject(refused);
    writeFileSync(join(data, 'agenthub.json'), '{"require_tls": true}');
    expect(await runToItsEnd({ target, args: given })).toMatchObject(refused);
    expect(await run(newCli(target), ['config', 'check', '--data', data, ...OPEN])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('require_tls is true'),
    });
    const proxied = ['--trust-proxy', '1', '--public-url', 'http://hub.example'];
    expect(await run(newCli(target), ['config', 'check', '--data', data, ...OPEN, ...proxied])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('public_url begins with http'),
    });
  });
});
