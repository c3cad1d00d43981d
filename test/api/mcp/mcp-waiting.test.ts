// Waiting tools: the response is a stream that opens at once, or JSON once it is ready. A wait costs no database reads
// until a relevant event occurs, and nothing after the client disconnects.
import { describe, expect, test } from 'vitest';
import { MAX_WAITS_PER_TOKEN } from '../../../server/domain/limits.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { report, send } from '../../support/fixture.ts';
import { framesOf, legacyPost, modernPost, send as post, TAKES_JSON } from '../../support/http/mcp-posts.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { newNetworkToken, type ServedHub, serveHub } from '../../support/served-hub.ts';

const IN_BOBS_INBOX = { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300 } };
const forTask = (task_id: string) => ({ name: 'wait_task', arguments: { task_id, timeout_seconds: 300 } });
const ERAS = [
  ['legacy', legacyPost],
  ['modern', modernPost],
] as const;

/** The tool result of a complete response. */
function resultOf(response: JsonObject | undefined): JsonObject {
  const [content] = listOf(objectOf(response ?? {}, 'result'), 'content');
  return objectIn(textOf(content ?? {}, 'text'));
}

type Watched = { waiting: number; reads: number; reading: number };

/** Counts event listeners and database reads. */
function watch({ hub }: ServedHub): Watched {
  const seen = { waiting: 0, reads: 0, reading: 0 };
  const { subscribe } = hub.broker;
  const { read } = hub.store;
  hub.broker.subscribe = (topic, listener) => {
    const stop = subscribe(topic, listener);
    seen.waiting++;
    return () => {
      seen.waiting--;
      return stop();
    };
  };
  hub.store.read = (work) => {
    seen.reads++;
    seen.reading++;
    return read(work).finally(() => void seen.reading--);
  };
  return seen;
}

const asleep = (seen: Watched, count: number) =>
  expect.poll(() => seen.waiting === count && seen.reading === 0, { timeout: 20_000, interval: 5 }).toBe(true);

describe.each(ERAS)('a %s client that accepts streams', (era, request) => {
  test('gets a stream at once, progress if requested, and the response on it', async () => {
    const hub = await serveHub();
    const response = await post(
      hub.url,
      hub.networkToken,
      request('tools/call', { ...IN_BOBS_INBOX, _meta: { progressToken: 'p' } }, 'w'),
    );
    expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/event-stream; charset=utf-8',
    });
    const frames = framesOf(response);
    expect(await frames.next()).toEqual({ comment: '0 s' });
    expect(await frames.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 0, total: 300 },
    });
    const task = await send(hub);
    const reply = await frames.message();
    expect(reply).toMatchObject({
      jsonrpc: '2.0',
      id: 'w',
      result: era === 'modern' ? { resultType: 'complete' } : {},
    });
    expect(resultOf(reply)).toMatchObject({ ok: true, messages: [{ id: task }] });
    expect(await frames.message()).toBeUndefined();
  });

  test('gets keep-alives, and no progress unless requested', async () => {
    const hub = await serveHub({ heartbeat_seconds: 1 });
    const frames = framesOf(await post(hub.url, hub.networkToken, request('tools/call', IN_BOBS_INBOX)));
    expect([await frames.next(), await frames.next()]).toEqual([{ comment: '0 s' }, { comment: '1 s' }]);
    await frames.close();
  });

  test('sees progress increase', async () => {
    const hub = await serveHub({ heartbeat_seconds: 1 });
    const frames = framesOf(
      await post(hub.url, hub.networkToken, request('tools/call', { ...IN_BOBS_INBOX, _meta: { progressToken: 0 } })),
    );
    expect(await frames.message()).toMatchObject({ params: { progressToken: 0, progress: 0 } });
    expect(await frames.message()).toMatchObject({ params: { progressToken: 0, progress: 1, total: 300 } });
    await frames.close();
  });

  test('gets plain JSON when there is nothing to wait for', async () => {
    const hub = await serveHub();
    for (const params of [
      { name: 'get_inbox', arguments: { alias: 'bob' } },
      { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 0 } },
    ]) {
      const response = await post(hub.url, hub.networkToken, request('tools/call', params));
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(resultOf(objectIn(await response.text()))).toEqual({ ok: true, messages: [] });
    }
  });

  test('gets errors on the stream', async () => {
    const hub = await serveHub();
    const frames = framesOf(await post(hub.url, hub.networkToken, request('tools/call', forTask('task_none'))));
    expect(resultOf(await frames.message())).toMatchObject({ ok: false, error: 'task not found' });
    const others = framesOf(
      await post(
        hub.url,
        hub.networkToken,
        request('tools/call', { name: 'wait_task', arguments: { task_id: 'x', timeout_seconds: 301 } }),
      ),
    );
    expect(resultOf(await others.message())).toMatchObject({ ok: false, error: 'invalid_arguments' });
  });

  test('a client that does not accept streams gets JSON when it is ready', async () => {
    const hub = await serveHub();
    const seen = watch(hub);
    const task = await send(hub);
    const response = post(hub.url, hub.networkToken, request('tools/call', forTask(task)), TAKES_JSON);
    await asleep(seen, 1);
    await hub.ask(sendReply, { alias: 'alice', text: '42', in_reply_to: task, from_session: 'bob' });
    const received = await response;
    expect(received.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(resultOf(objectIn(await received.text()))).toMatchObject({
      ok: true,
      settled: true,
      task: { status: 'replied', result: '42' },
    });
  });
});

const CLAUDE_CODE = { 'user-agent': 'claude-code/2.1.328 (cli)' };

test.each([
  ['Claude Code', CLAUDE_CODE],
  ['a client that asks for it', { 'agenthub-wait': 'json' }],
])('%s gets JSON that opens at once and is kept alive', async (_, headers) => {
  const hub = await serveHub({ heartbeat_seconds: 1 });
  const response = await post(hub.url, hub.networkToken, modernPost('tools/call', IN_BOBS_INBOX), headers);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const task = await send(hub);
  const text = await response.text();
  expect(text).toMatch(/^ +\{/);
  expect(resultOf(objectIn(text))).toMatchObject({ ok: true, messages: [{ id: task }] });
});

test.each([
  ['as a stream', {}],
  ['as JSON', TAKES_JSON],
  ['as JSON that opens at once', CLAUDE_CODE],
])('a client that disconnects while waiting for %s leaves no listener behind', async (_, accept) => {
  const hub = await serveHub();
  const seen = watch(hub);
  const leaving = new AbortController();
  const response = post(
    hub.url,
    hub.networkToken,
    legacyPost('tools/call', IN_BOBS_INBOX),
    accept,
    leaving.signal,
  ).then((response) => response.text());
  await asleep(seen, 1);
  leaving.abort();
  await expect(response).rejects.toThrow();
  await asleep(seen, 0);
});

test('a hub that stops ends every wait at once with the latest state, including new waits', async () => {
  const hub = await serveHub();
  const seen = watch(hub);
  const task = await send(hub);
  const [stream, json] = [{}, TAKES_JSON].map((accept) =>
    post(hub.url, hub.networkToken, legacyPost('tools/call', forTask(task)), accept).then((response) =>
      response.text(),
    ),
  );
  await asleep(seen, 2);
  hub.app.mcp.endAll();
  expect(await stream).toContain('"id":1,"result"');
  expect(resultOf(objectIn((await json) ?? ''))).toMatchObject({
    ok: true,
    settled: false,
    task: { status: 'delivered' },
  });
  const late = await post(
    hub.url,
    hub.networkToken,
    legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'carl', wait_seconds: 300 } }),
    TAKES_JSON,
  );
  expect(resultOf(objectIn(await late.text()))).toEqual({ ok: true, messages: [] });
});

test('a wait ends when the token loses access', async () => {
  const hub = await serveHub();
  const seen = watch(hub);
  const response = post(hub.url, hub.networkToken, legacyPost('tools/call', IN_BOBS_INBOX), TAKES_JSON);
  await asleep(seen, 1);
  hub.hub.revocations.announce({ token_id: hub.caller.token_id });
  expect(resultOf(objectIn(await (await response).text()))).toEqual({ ok: true, messages: [] });
});

test('a thousand waits cause no reads without relevant events, and each wakes only for its own', async () => {
  const hub = await serveHub();
  const seen = watch(hub);
  const aliases = Array.from({ length: 500 }, (_, index) => `agent-${index}`);
  const tasks = await Promise.all(aliases.map((alias) => send(hub, { alias: `${alias}-task` })));
  const tokens = await Promise.all(Array.from({ length: 1_000 / MAX_WAITS_PER_TOKEN }, () => newNetworkToken(hub)));
  const wait = (index: number, params: JsonObject, accept: Record<string, string>) =>
    post(hub.url, tokens[index % tokens.length] ?? '', legacyPost('tools/call', params), accept).then((response) =>
      response.text(),
    );
  const messages = aliases.map((alias, index) =>
    wait(index, { name: 'get_inbox', arguments: { alias, wait_seconds: 300 } }, {}),
  );
  const results = tasks.map((task, index) => wait(index, forTask(task), TAKES_JSON));
  await asleep(seen, 1_000);

  const before = seen.reads;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      await report(hub, `other-${index}`);
      await hub.ask(sendReply, {
        alias: 'alice',
        text: `done ${index}`,
        in_reply_to: await send(hub, { alias: 'other', task: `task ${index}` }),
        from_session: 'other',
      });
    }),
  );
  expect({ waiting: seen.waiting, reads: seen.reads - before }).toEqual({ waiting: 1_000, reads: 0 });

  await Promise.all(aliases.map((alias) => send(hub, { alias, task: `for ${alias}` })));
  await Promise.all(
    tasks.map((task, index) =>
      hub.ask(sendReply, {
        alias: 'alice',
        text: `by ${aliases[index]}`,
        in_reply_to: task,
        from_session: `${aliases[index]}-task`,
      }),
    ),
  );
  const [received, settled] = await Promise.all([Promise.all(messages), Promise.all(results)]);
  for (const [index, alias] of aliases.entries()) {
    expect(received[index]).toContain(`for ${alias}\\"`);
    expect(resultOf(objectIn(settled[index] ?? ''))).toMatchObject({
      settled: true,
      task: { task_id: tasks[index], result: `by ${alias}` },
    });
  }
  expect(seen.waiting).toBe(0);
});
