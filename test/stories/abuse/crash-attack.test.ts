// An attack, part one: a viewer, a member and an unauthenticated client try to crash the hub or to block others.
import { expect, onTestFinished, test } from 'vitest';
import { ask, dial, readStatus, requestText, rpc, sendAndReset, toolCall } from '../../../scripts/trust/abuse/wire.ts';
import { openEvents } from '../../support/http/event-reader.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { type Account, register, restClient } from '../../support/http/rest-client.ts';
import { textOf } from '../../support/json.ts';
import { type HubOfAda, hubOfAda } from '../../support/process/registered-hub.ts';
import { type RunningHub, storyOnce } from '../../support/process/running-hub.ts';

const LONG_WAIT = { timeoutMs: 60_000 };
const CONTROL = '\u0001'.repeat(10_000);
const MEBIBYTE = 1024 * 1024;

storyOnce('attempts to crash the hub', (target) => {
  test('a batch of fifty requests for the same full inbox gets a limited response, and the hub keeps running', async () => {
    const { hub, networkToken, mallory } = await withMallory(await hubOfAda({ target }));
    const rest = restClient(hub.url, mallory.networkToken);
    for (let sent = 0; sent < 100; sent++)
      await rest.post('/api/tasks', { alias: 'full', task: CONTROL, context: CONTROL, from_session: `m${sent}` });
    const viewer = await viewerOf(hub, mallory);
    const batch = Array.from({ length: 50 }, (_, id) => toolCall('get_inbox', { alias: 'full', limit: 100 }, id + 1));
    const response = await fetch(`${hub.url}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${viewer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(batch),
    });
    const entries: unknown = await response.json();
    expect([response.status, Array.isArray(entries) && entries.length]).toEqual([200, 50]);
    await expectServed(hub, networkToken);
  });

  test('every connection of a token is free after its member disconnected repeatedly during authentication', async () => {
    const { hub, networkToken, mallory } = await withMallory(await hubOfAda({ target }));
    const at = { port: Number(new URL(hub.url).port) };
    for (let round = 0; round < 4; round++) {
      const token = await newToken(hub, mallory);
      const requests = [
        { path: '/events', token },
        rpc(token, toolCall('get_inbox', { alias: 'm', wait_seconds: 60 })),
      ];
      await Promise.all(
        Array.from({ length: 60 }, (_, number) =>
          sendAndReset(at, requestText(requests[number % 2] ?? { path: '/events' }), number % 3),
        ),
      );
      const opened = Array.from({ length: 100 }, () => openStream(at, token));
      expect(new Set(await Promise.all(opened))).toEqual(new Set([200]));
    }
    await expectServed(hub, networkToken);
  });

  test("another's streams stay open, and its wait ends with its task, while a tenant changes its rights in a loop", async () => {
    const { hub, networkToken, mallory } = await withMallory(await hubOfAda({ target }));
    const ada = mcpClient(hub.url, networkToken);
    const id = textOf(await ada.call('send_task', { alias: 'bob', task: 'build', from_session: 'alice' }), 'task_id');
    const churn = churnRights(hub, mallory);
    const readers = [];
    const waits = [];
    for (let number = 0; number < 20; number++) {
      readers.push(await openEvents(`${hub.url}/events/bob`, networkToken));
      waits.push(
        ask(
          { port: Number(new URL(hub.url).port) },
          rpc(networkToken, toolCall('wait_task', { task_id: id, timeout_seconds: 60 })),
          LONG_WAIT,
        ),
      );
    }
    await ada.call('send_reply', { alias: 'alice', text: 'done', in_reply_to: id, from_session: 'bob' });
    for (const { status, text } of await Promise.all(waits))
      expect([status, /status\\":\\"replied/.test(text)]).toEqual([200, true]);
    await ada.call('send_message', { alias: 'bob', message: 'last', from_session: 'alice' });
    for (const reader of readers) await reader.next('new_message', { message: 'last' });
    await churn.stop();
    await Promise.all(readers.map((reader) => reader.close()));
  });

  test('bodies whose last byte an unauthenticated client withholds are rejected before they are complete', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const at = { port: Number(new URL(hub.url).port) };
    const paths = ['/api/tasks', '/mcp', '/nowhere', '/api/auth/login'];
    const statuses = await Promise.all(paths.flatMap((path) => Array.from({ length: 10 }, () => unfinished(at, path))));
    expect(statuses).toEqual([401, 401, 404, 413].flatMap((status) => Array<number>(10).fill(status)));
    await expectServed(hub, networkToken);
  });
});

async function withMallory(home: HubOfAda): Promise<HubOfAda & { mallory: Account }> {
  return { ...home, mallory: await register(home.hub.url, 'mallory') };
}

async function newToken({ url }: RunningHub, { userToken, networkId }: Account): Promise<string> {
  return textOf(
    (await restClient(url, userToken).post('/api/tokens', { name: 'one more', network_id: networkId })).body,
    'token',
  );
}

async function viewerOf(hub: RunningHub, { userToken, networkId }: Account): Promise<string> {
  const invite = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, {
    role: 'viewer',
    max_uses: 1,
  });
  const member = await register(hub.url, 'victor');
  await restClient(hub.url, member.userToken).post('/api/networks/join', {
    invite_code: textOf(invite.body, 'invite_code'),
  });
  return newToken(hub, { ...member, networkId });
}

/** The same process as before, without errors. */
async function expectServed(hub: RunningHub, token: string): Promise<void> {
  const { status } = await restClient(hub.url, token).post('/api/tasks', {
    alias: 'bob',
    task: 'still there?',
    from_session: 'alice',
  });
  expect(status).toBe(200);
  expect(hub.output()).not.toMatch(/"level":"(error|fatal)"/);
}

function openStream(at: { port: number }, token: string): Promise<number | undefined> {
  const socket = dial(at);
  onTestFinished(() => void socket.destroy());
  socket.write(requestText({ path: '/events', token }));
  return readStatus(socket);
}

function unfinished(at: { port: number }, path: string): Promise<number | undefined> {
  const socket = dial(at);
  onTestFinished(() => void socket.destroy());
  socket.write(requestText({ path, body: ' '.repeat(MEBIBYTE) }).subarray(0, -1));
  return readStatus(socket);
}

function churnRights({ url }: RunningHub, { userToken, networkId }: Account) {
  let isOver = false;
  const rest = restClient(url, userToken);
  const turn = async (): Promise<void> => {
    while (!isOver) {
      const { body } = await rest.post('/api/tokens', { name: 'short-lived', network_id: networkId });
      await fetch(`${url}/api/tokens/${textOf(body, 'token_id')}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${userToken}` },
      });
    }
  };
  const turning = Promise.all([turn(), turn()]);
  return {
    stop: () => {
      isOver = true;
      return turning;
    },
  };
}
