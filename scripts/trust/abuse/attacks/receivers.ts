// An attack through a receiver of notifications, which the hub contacts itself: its response never ends.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { restClient } from '../../../../test/support/http/rest-client.ts';
import { objectOf, textOf } from '../../../../test/support/json.ts';
import type { Hub } from '../../hub.ts';
import { type Attack, repeat } from '../attack.ts';
import { ask } from '../wire.ts';

/** Attacked hubs need these arguments, since the receiver runs on this machine. */
export const RECEIVER_ARGUMENTS = ['--notifier-addresses', 'all'];

const HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000);
const PAUSE_MS = 10;
const USERS = 6;
const TESTS_AT_ONCE = 2;

export const endlessResponses: Attack = {
  name: 'receivers that respond without end',
  prepare: async ({ hub, atEnd }) => {
    const url = await openReceiver(atEnd);
    const tests = await Promise.all(
      Array.from({ length: USERS }, async (_, number) => {
        const token = await registerFrom(hub, `127.0.3.${1 + number}`, `hooks${number}`);
        return { token, path: `/api/notifiers/${await createNotifier(hub, token, url)}/test` };
      }),
    );
    return repeat(USERS * TESTS_AT_ONCE, async (lane) => {
      const test = tests[lane % USERS] ?? { path: '/' };
      const { status } = await ask(hub, { ...test, method: 'POST' });
      if (status !== 200) await after(PAUSE_MS);
    });
  },
};

/** From an address of this machine, because each is limited in registrations a minute. */
async function registerFrom(hub: Hub, from: string, username: string): Promise<string> {
  const body = JSON.stringify({ username, password: 'a-good-password' });
  const { text } = await ask(hub, { path: '/api/auth/register', body }, { from });
  const [, token] = /"token":"([^"]+)"/.exec(text) ?? [];
  if (token === undefined) throw new Error(`registering ${username} returned ${text.slice(-200)}`);
  return token;
}

async function createNotifier(hub: Hub, token: string, url: string): Promise<string> {
  const { status, body } = await restClient(hub.url, token).post('/api/notifiers', { format: 'webhook', url });
  if (status !== 200) throw new Error(`a notifier was refused with ${status}`);
  return textOf(objectOf(body, 'notifier'), 'notifier_id');
}

async function openReceiver(atEnd: (cleanup: () => unknown) => void): Promise<string> {
  const server = createServer((socket) => {
    const writing = setInterval(() => socket.writableNeedDrain || socket.write(HINTS), PAUSE_MS);
    socket.on('error', () => {}).on('close', () => clearInterval(writing));
    socket.resume();
  });
  atEnd(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/`;
}
