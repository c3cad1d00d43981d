// The event stream over HTTP: how it opens, what it carries, who can read it, and how an open stream affects its agent.
import { describe, expect, test, vi } from 'vitest';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { getAllStatus } from '../../../server/operations/sessions/get-all-status.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { latestEvent } from '../../../server/store/notifiers/needs.ts';
import { report, rowsOf, send } from '../../support/fixture.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';
import { seqIn } from '../../support/store/event-ids.ts';
import { beginning, messagesUntil, read, sendText } from '../../support/stream-fixture.ts';

const ask = (hub: ServedHub, path: string, headers: Record<string, string> = {}) => fetch(hub.url + path, { headers });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The first bytes of a stream as sent. */
async function openingOf(hub: ServedHub, path = '/events/bob'): Promise<{ response: Response; text: string }> {
  const response = await ask(hub, path, bearer(hub.networkToken));
  const chunks = response.body?.getReader();
  const first = await chunks?.read();
  await chunks?.cancel();
  return { response, text: Buffer.from(first?.value ?? []).toString() };
}

describe('a stream opens', () => {
  test('with the retry delay, a heartbeat and the current position', async () => {
    const hub = await serveHub();
    await sendText(hub, 'before');
    const { response, text } = await openingOf(hub);
    const latest = await hub.hub.store.read(latestEvent);
    const [, before, id] = /^(.*)id: (\S+)\n\n$/s.exec(text) ?? [];
    expect(before).toBe(
      'retry: 3000\n\nevent: heartbeat\ndata: {"type":"heartbeat","time":"2026-01-15T12:00:00.000Z"}\n\n',
    );
    expect(seqIn(hub.hub, id)).toBe(latest);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': expect.stringContaining('no-cache'),
      'x-accel-buffering': 'no',
    });
  });

  test.each([
    [0, 2_250],
    [0.5, 3_000],
    [0.999, 3_749],
  ])('the retry delay is randomized: drawn %d it is %i ms', async (fraction, milliseconds) => {
    const hub = await serveHub();
    hub.hub.ids.fraction = () => fraction;
    const { text } = await openingOf(hub);
    expect(Math.abs(Number(/^retry: (\d+)\n\n/.exec(text)?.[1]) - milliseconds)).toBeLessThanOrEqual(1);
  });

  test('heartbeats come regularly, with the time and without an id', async () => {
    const hub = await serveHub({ heartbeat_seconds: 0.02 });
    const reader = await read(hub, '/events/bob');
    for (let beat = 0; beat < 4; beat++) {
      expect(await reader.next('heartbeat')).toEqual({
        name: 'heartbeat',
        id: undefined,
        data: { type: 'heartbeat', time: '2026-01-15T12:00:00.000Z' },
      });
    }
  });
});

describe('an agent receives', () => {
  test('its tasks, messages, replies and broadcasts, with the data of the interface, and nothing else', async () => {
    const hub = await serveHub();
    const reader = await read(hub, '/events/bob');
    await report(hub, 'bob');
    await sendText(hub, 'not for bob', 'carol');
    const task_id = await send(hub, { priority: 'high' });
    const { message_id } = await sendText(hub, 'hello');
    const reply = await hub.ask(sendReply, {
      alias: 'bob',
      text: 'done',
      in_reply_to: await send(hub, { alias: 'carol', from_session: 'bob' }),
      from_session: 'carol',
      status: 'failed',
    });
    await hub.ask(broadcast, { content: 'lunch', from_session: 'alice' });
    await reader.next('broadcast');
    const [row] = await rowsOf(hub, "SELECT id FROM messages WHERE type = 'broadcast'");
    const [received] = await rowsOf(hub, "SELECT in_reply_to AS id FROM messages WHERE type = 'reply'");
    expect(
      reader
        .arrived()
        .filter(({ name }) => name !== 'heartbeat')
        .map(({ data }) => data),
    ).toEqual([
      { type: 'new_task', inbox_count: 1, priority: 'high', from: 'alice', task_id, message_id: task_id },
      { type: 'new_message', message: 'hello', from: 'alice', message_id },
      {
        type: 'new_reply',
        from: 'carol',
        message_id: reply.message_id,
        in_reply_to: received?.['id'],
        status: 'failed',
      },
      { type: 'broadcast', content: 'lunch', from: 'alice', message_id: row?.['id'] },
    ]);
    for (const { name, id } of reader.arrived())
      if (name !== 'heartbeat') expect(id).toMatch(/^[0-9a-f]{12}-[\w-]{22}$/);
  });

  test('events under an alias in any script', async () => {
    const hub = await serveHub();
    const reader = await read(hub, `/events/${encodeURIComponent('小明/🙂 x')}`);
    await sendText(hub, 'hello', '小明/🙂 x');
    expect(await messagesUntil(reader, 'hello')).toEqual(['hello']);
  });

  test('text with line breaks unchanged, and frames stay intact', async () => {
    const hub = await serveHub();
    const reader = await read(hub, '/events/bob');
    const message = 'one\n\nevent: heartbeat\ndata: {}\r\n\u2028id: 7\n\n';
    await sendText(hub, message);
    expect((await reader.next('new_message')).data['message']).toBe(message);
  });

  test('the same events on each of its streams', async () => {
    const hub = await serveHub();
    const readers = [await read(hub, '/events/bob'), await read(hub, '/events/bob')];
    for (const message of ['a', 'b']) await sendText(hub, message);
    for (const reader of readers) expect(await messagesUntil(reader, 'b')).toEqual(['a', 'b']);
  });
});

test('the stream of a network carries all events with their addressee, and every change of a session or a task', async () => {
  const hub = await serveHub();
  const reader = await read(hub, '/events');
  await report(hub, 'bob', { status: 'working' });
  const task_id = await send(hub);
  await sendText(hub, 'hello', 'carol');
  await reader.next('new_message');
  expect(
    reader
      .arrived()
      .filter(({ name }) => name !== 'heartbeat')
      .map(({ name, data }) => [name, data['alias'], data['type']]),
  ).toEqual([
    ['session', 'bob', 'session'],
    ['task', undefined, 'task'],
    ['new_task', 'bob', 'new_task'],
    ['new_message', 'carol', 'new_message'],
  ]);
  expect((await reader.next('task')).data).toMatchObject({ task_id, status: 'delivered', to_name: 'bob' });
});

describe('a token', () => {
  test.each(['/events/bob', '/events'])('is accepted in the query of %s', async (path) => {
    const hub = await serveHub();
    const response = await ask(hub, `${path}?token=${hub.networkToken}`);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  test.each(['/api/status', '/api/tasks', '/api/auth/me'])('is ignored in the query of %s', async (path) => {
    const hub = await serveHub();
    expect((await ask(hub, `${path}?token=${hub.userToken}`)).status).toBe(401);
    expect((await ask(hub, path, bearer(hub.userToken))).status).toBe(200);
  });

  test('is ignored in the query of /mcp', async () => {
    const hub = await serveHub();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const post = (path: string, headers: object) =>
      fetch(hub.url + path, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
    expect((await post(`/mcp?token=${hub.networkToken}`, {})).status).toBe(401);
    expect((await post('/mcp', bearer(hub.networkToken))).status).toBe(200);
  });

  test.each(['', '?token=', '?token=nonsense', '?token=ntok_000000000000000000000000000000000000'])(
    'is required: /events/bob%s is 401',
    async (query) => {
      const hub = await serveHub();
      const response = await ask(hub, `/events/bob${query}`);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer realm="agenthub"/),
      ]);
      expect(await response.json()).toMatchObject({ error: 'unauthorized', message: expect.any(String) });
    },
  );
});

describe('notified_at', () => {
  const isNotified = async (hub: ServedHub, task_id: string) => {
    await flushWriteBehind(hub.hub);
    return 'notified_at' in (await hub.ask(getTask, { task_id })).task;
  };

  test('is set when a task is pushed on the stream of its agent', async () => {
    const hub = await serveHub();
    const reader = await read(hub, '/events/bob');
    const task_id = await send(hub);
    await reader.next('new_task');
    expect(await isNotified(hub, task_id)).toBe(true);
  });

  test('is also set for a replayed task', async () => {
    const hub = await serveHub();
    const task_id = await send(hub);
    expect(await isNotified(hub, task_id)).toBe(false);
    const reader = await read(hub, '/events/bob', { lastEventId: await beginning(hub) });
    await reader.next('new_task');
    expect(await isNotified(hub, task_id)).toBe(true);
  });

  test.each<[string, string, (hub: ServedHub) => Promise<string>]>([
    ['a person who watches the agent', '/events/bob', async (hub) => hub.userToken],
    ['the stream of the network', '/events', async (hub) => hub.networkToken],
    [
      'a viewer',
      '/events/bob',
      async (hub) => {
        await hub.hub.store.write((tx) =>
          tx.run("UPDATE members SET role = 'viewer' WHERE network_id = ?", [hub.caller.network_id], 'rights'),
        );
        return hub.networkToken;
      },
    ],
  ])('is not set for %s', async (_, path, tokenOf) => {
    const hub = await serveHub();
    const reader = await read(hub, path, { token: await tokenOf(hub) });
    const task_id = await send(hub);
    await reader.next('new_task');
    expect(await isNotified(hub, task_id)).toBe(false);
  });
});

test('an open stream keeps its agent online, and a closed one does not', async () => {
  const hub = await serveHub();
  await report(hub, 'bob');
  const status = async () => (await hub.ask(getAllStatus, {})).sessions[0]?.status;
  const reader = await read(hub, '/events/bob');
  await reader.next('heartbeat');
  hub.hub.clock.advance(3_600_000);
  expect(await status()).toBe('idle');
  await reader.close();
  await vi.waitFor(async () => {
    hub.hub.clock.advance(600_001);
    expect(await status()).toBe('offline');
  }, 20_000);
});

test('all streams end on shutdown', async () => {
  const hub = await serveHub();
  const readers = [await read(hub, '/events/bob'), await read(hub, '/events')];
  for (const reader of readers) await reader.next('heartbeat');
  hub.app.streams.endAll();
  await Promise.all(readers.map(({ ended }) => ended));
});
