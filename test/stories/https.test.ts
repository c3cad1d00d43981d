// A hub with its own certificate: it serves https, reloads a renewed certificate on SIGHUP, rejects invalid files, and
// keeps little memory for connections that have read a large page.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { expireCertificate, hasOpenssl, newCertificate, postponeCertificate } from '../support/process/certificate.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';

storyOnce('HTTPS', (target) => {
  test.skipIf(!hasOpenssl)(
    'the certificate is served, reloaded on SIGHUP, and kept when the new one is invalid',
    async () => {
      const directory = temporaryDirectory();
      const [cert, key] = newCertificate(directory, 'first.example');
      const hub = await startHub({ target, args: ['--tls-cert', cert, '--tls-key', key] });
      expect(hub.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
      expect(await nameShown(hub.url)).toBe('first.example');
      expect(
        await runToItsEnd({
          target,
          args: ['healthcheck', '--port', new URL(hub.url).port, '--tls-cert', cert, '--tls-key', key],
        }),
      ).toMatchObject({ code: 0 });
      const whoami = (env: Record<string, string>) =>
        runToItsEnd({ target, args: ['whoami'], env: { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: 'ntok_x', ...env } });
      expect(await whoami({})).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('set NODE_EXTRA_CA_CERTS to a file with the CA certificate'),
      });
      expect(await whoami({ NODE_EXTRA_CA_CERTS: cert })).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('its certificate is for a different name'),
      });

      newCertificate(directory, 'second.example');
      hub.signal('SIGHUP');
      await expect.poll(() => nameShown(hub.url)).toBe('second.example');

      writeFileSync(cert, 'not a certificate');
      hub.signal('SIGHUP');
      await expect.poll(hub.output).toContain('the previous one stays');
      expect(await nameShown(hub.url)).toBe('second.example');

      newCertificate(directory, 'expired.example');
      expireCertificate(directory);
      hub.signal('SIGHUP');
      await expect.poll(hub.output).toContain('the previous one, which is valid, stays in use');
      expect(await nameShown(hub.url)).toBe('second.example');
      expect(await runToItsEnd({ target, args: ['doctor', '--data', hub.data] })).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(
          /certificate\s+it expired.*\n[^]*certificate\s+the hub still serves the one from before/,
        ),
      });

      newCertificate(directory, 'early.example');
      postponeCertificate(directory);
      hub.signal('SIGHUP');
      await expect.poll(hub.output).toContain('the certificate in tls_cert is not valid before Jan  1');
      expect(await nameShown(hub.url)).toBe('second.example');
      expect(await runToItsEnd({ target, args: ['doctor', '--data', hub.data] })).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/certificate\s+it is not valid before 2049-01-01/),
      });
      expect(await hub.stop()).toBe(0);
    },
  );

  test.skipIf(!hasOpenssl)('a connection that has read a large page keeps less than half of it in memory', async () => {
    const [cert, key] = newCertificate(temporaryDirectory(), 'localhost');
    const hub = await startHub({ target, args: ['--tls-cert', cert, '--tls-key', key, '--registration', 'open'] });
    const one = oneConnection();
    const registered = await ask(hub.url, one, '/api/auth/register', '', {
      username: 'ada',
      password: 'secret-enough',
    });
    const token: string = JSON.parse(registered).network_token;
    for (let number = 0; number < 60; number++)
      await ask(hub.url, one, '/api/messages', token, { alias: 'builder', message: `${number} `.padEnd(9_900, 'x') });
    for (let round = 0; round < WARM_UP; round++) await ask(hub.url, one, PAGE, token);
    const before = memoryOf(hub.pid);
    const many = Array.from({ length: CONNECTIONS }, oneConnection);
    for (const agent of many) expect((await ask(hub.url, agent, PAGE, token)).length).toBeGreaterThan(500_000);
    expect((memoryOf(hub.pid) - before) / CONNECTIONS).toBeLessThan(250_000);
    for (const agent of [one, ...many]) agent.destroy();
    expect(await hub.stop()).toBe(0);
  });

  test.skipIf(!hasOpenssl)('an invalid file stops the start with an error that names it', async () => {
    const directory = temporaryDirectory();
    const [cert, key] = newCertificate(directory, 'first.example');
    const other = join(directory, 'other.pem');
    copyFileSync(key, other);
    newCertificate(directory, 'second.example');
    const garbage = join(directory, 'garbage.pem');
    writeFileSync(garbage, '-----BEGIN NOTHING-----');
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const refusals: readonly [cert: string, key: string, line: string][] = [
      [join(directory, 'none.pem'), key, `tls_cert names ${join(directory, 'none.pem')}, which cannot be read: ENOENT`],
      [cert, join(directory, 'none.pem'), `tls_key names ${join(directory, 'none.pem')}, which cannot be read: ENOENT`],
      [garbage, key, `tls_cert names ${garbage}, which is not a certificate in PEM format`],
      [cert, garbage, `tls_key names ${garbage}, which is not a private key without passphrase in PEM format`],
      [cert, pipe, `tls_key names ${pipe}, which is not a regular file`],
      [cert, other, `tls_key (${other}) does not match the certificate in tls_cert (${cert})`],
    ];
    for (const [cert, key, line] of refusals) {
      const { stdout, ...ended } = await runToItsEnd({
        target,
        args: ['--port', '0', '--data', join(directory, 'data'), '--tls-cert', cert, '--tls-key', key],
      });
      expect(ended).toEqual({ code: 2, signal: null, stderr: `agenthub: ${line}\n` });
      expect(JSON.parse(stdout)).toMatchObject({ level: 'fatal', msg: line });
    }
  });
});

async function nameShown(url: string): Promise<string | string[] | undefined> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

const CONNECTIONS = 100;
/** Then the garbage of responses takes no more memory: V8 has collected its old generation several times. */
const WARM_UP = 600;
const PAGE = '/api/messages?limit=100';

const oneConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

async function ask(url: string, agent: Agent, path: string, token: string, body?: object): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const outgoing = request(url + path, { agent, headers, method: body === undefined ? 'GET' : 'POST' });
  outgoing.end(body === undefined ? '' : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  return text(response);
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
