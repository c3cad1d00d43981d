// The hub behind the reverse proxies that README.md configures. Events and waits arrive at once, client addresses are
// correct, and foreign pages and host names are rejected.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { MAX_WAIT_SECONDS } from '../../server/domain/limits.ts';
import { openEvents } from '../support/http/event-reader.ts';
import { mcpClient, postRpc } from '../support/http/mcp-client.ts';
import { type RawRequest, sendRaw } from '../support/http/raw-request.ts';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { behind, CADDY, checkNginx, NGINX, type Proxy, startProxy } from '../support/http/reverse-proxy.ts';
import { listOf, objectIn, objectOf, textOf } from '../support/json.ts';
import { hasOpenssl } from '../support/process/certificate.ts';
import type { Target } from '../support/process/hub-process.ts';
import {
  type RunningHub,
  setupTokenOf,
  startHub,
  storyOnce,
  temporaryDirectory,
} from '../support/process/running-hub.ts';
import { readmeBlock } from '../support/readme.ts';

const PUBLIC = 'https://hub.example.org';
const HUB = ['--public-url', PUBLIC, '--trust-proxy', '1', '--heartbeat-seconds', '1'];

type Front = { hub: RunningHub; url: string; token: string };
type Cleanups = (() => Promise<void>)[];

async function stand(
  target: Target,
  proxy: Proxy,
  cleanups: Cleanups,
  change?: (lines: string) => string,
): Promise<Front> {
  const atEnd = (cleanup: () => Promise<void>): void => void cleanups.unshift(cleanup);
  const hub = await startHub({ target, args: HUB, atEnd });
  const url = await startProxy(proxy, hub.url, atEnd, change);
  const { body } = await restClient(url, await setupTokenOf(hub)).post('/api/auth/register', {
    username: 'ada',
    password: PASSWORD,
  });
  return { hub, url, token: textOf(body, 'network_token') };
}

const buffering = (lines: string): string =>
  lines.replace('proxy_http_version 1.1;', 'proxy_http_version 1.0; proxy_ignore_headers X-Accel-Buffering;');

storyOnce('behind a reverse proxy', (target) => {
  for (const proxy of [NGINX, CADDY]) {
    behind(proxy, () => {
      const cleanups: Cleanups = [];
      let proxyInFront: Front;
      beforeAll(async () => void (proxyInFront = await stand(target, proxy, cleanups)));
      afterAll(async () => {
        for (const cleanup of cleanups) await cleanup();
      });

      test('an event stream opens at once, and events and heartbeats arrive live', async () => {
        const { url, token } = proxyInFront;
        const bob = await openEvents(`${url}/events/bob`, token);
        await bob.next('heartbeat');
        const { task_id } = await mcpClient(url, token).call('send_task', { alias: 'bob', task: 'build it' });
        await bob.next('new_task', { task_id: String(task_id) });
        await bob.next('heartbeat');
        await bob.next('heartbeat');
        await bob.close();
      });

      test('a wait ends when its event occurs, as a stream that opens before and as a single response', async () => {
        const { url, token } = proxyInFront;
        const call = {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'get_inbox', arguments: { alias: 'carol', wait_seconds: 30 } },
        };
        const streamed = await postRpc(url, token, call); // the headers have arrived, and no message has
        const waiting = fetch(`${url}/mcp`, {
          method: 'POST',
          body: JSON.stringify(call),
          headers: { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        });
        await mcpClient(url, token).call('send_message', { alias: 'carol', message: 'good morning' });
        expect(await streamed.text()).toContain('good morning');
        const [content] = listOf(objectOf(objectIn(await (await waiting).text()), 'result'), 'content');
        expect(content?.text).toContain('good morning');
      });

      test("rate limits and the log use the client's real address, whatever headers it sends", async () => {
        const { hub, url } = proxyInFront;
        const from = (localAddress: string, more: Partial<RawRequest> = {}) => {
          const body = JSON.stringify({ username: 'ada', password: 'wrong' });
          return sendRaw(url, {
            path: '/api/auth/login',
            body,
            localAddress,
            ...more,
            headers: { 'Content-Type': 'application/json', ...more.headers },
          });
        };
        const left = async (localAddress: string, headers = {}) =>
          (await from(localAddress, { headers })).headers['x-ratelimit-remaining'];
        expect(await left('127.0.0.2')).toBe('9');
        expect(await left('127.0.0.2', { 'X-Forwarded-For': '198.51.100.7' })).toBe('8');
        expect(await left('127.0.0.3')).toBe('9');
        await expect.poll(hub.output).toContain('"ip":"127.0.0.3"');
        expect(hub.output()).not.toContain('198.51.100.7');
      });

      test('its public name is accepted, and foreign pages and host names are rejected', async () => {
        const { url } = proxyInFront;
        const status = async (headers: Record<string, string>) =>
          (await sendRaw(url, { method: 'GET', path: '/health', headers })).status;
        expect(await status({ Host: 'hub.example.org' })).toBe(200);
        expect(await status({ Host: 'hub.example.org', Origin: PUBLIC })).toBe(200);
        expect(await status({ Host: 'hub.example.org', Origin: 'https://elsewhere.example' })).toBe(403);
        expect(await status({ Host: 'elsewhere.example' })).toBe(403);
      });
    });
  }

  behind(NGINX, () => {
    test('a proxy that buffers events would be detected', async () => {
      const cleanups: Cleanups = [];
      onTestFinished(async () => {
        for (const cleanup of cleanups) await cleanup();
      });
      const { hub, url, token } = await stand(target, NGINX, cleanups, buffering);
      const held = openEvents(`${url}/events/bob`, token);
      const direct = await openEvents(`${hub.url}/events/bob`, token);
      for (let beats = 0; beats < 3; beats += 1) await direct.next('heartbeat');
      expect((await Promise.race([held, Promise.resolve(undefined)]))?.arrived() ?? []).toEqual([]);
      await direct.close();
      await hub.stop();
      await expect(held.then((stream) => stream.next('heartbeat'))).resolves.toBeDefined(); // released when the response ends
    });

    test.skipIf(!hasOpenssl)('nginx accepts the documented configuration unchanged, including TLS', async () => {
      const { status, stderr } = await checkNginx(readmeBlock('Behind a proxy', 'nginx'));
      expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('test is successful') });
      expect(
        (await checkNginx(readmeBlock('Behind a proxy', 'nginx').replace('proxy_pass', 'proxy_past'))).status,
      ).toBe(1);
    });

    test('the documented log format of nginx leaves out tokens in addresses, and nothing else', async () => {
      const cleanups: Cleanups = [];
      onTestFinished(async () => {
        for (const cleanup of cleanups) await cleanup();
      });
      const log = join(temporaryDirectory(), 'access.log');
      const format = readmeBlock('Keep tokens out of access logs', 'nginx').replace(/\/var\/log\/\S+\.log/, log);
      const { url, token } = await stand(target, NGINX, cleanups, (lines) => `${format}\n${lines}`);
      for (const query of [`token=${token}`, `after=0&token=${token}`, `token=${token}&after=0`]) {
        const leaving = new AbortController();
        const { status } = await fetch(`${url}/events/bob?${query}`, { signal: leaving.signal });
        expect(status).toBe(200);
        leaving.abort();
      }
      for (const path of [`/events?token=${token}x`, '/api/tasks?limit=5', '/health'])
        await sendRaw(url, { method: 'GET', path });
      const logged = () => [...readFileSync(log, 'utf8').matchAll(/"GET ([^"]*)"/g)].map(([, path]) => path);
      await expect.poll(logged).toHaveLength(6);
      expect(logged().sort()).toEqual(
        [...Array(3).fill('/events/bob?...'), '/events?...', '/api/tasks?limit=5', '/health'].sort(),
      );
      expect(readFileSync(log, 'utf8')).not.toContain(token.slice(5));
    });

    test('a silent wait can last for the maximum wait time', () => {
      const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(readmeBlock('Behind a proxy', 'nginx')) ?? [];
      expect(Number(seconds)).toBeGreaterThan(MAX_WAIT_SECONDS);
    });
  });
});
