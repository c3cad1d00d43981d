// A wait whose stream broke continues with the id of its first event: the same call, the time that is left, and the
// rights of the caller. Nothing else is accepted as an id.
import { describe, expect, test } from 'vitest';
import { MAX_WAIT_SECONDS } from '../../../server/domain/limits.ts';
import { legacyPost, modernPost, type Post, send as post, TAKES_STREAMS } from '../../support/http/mcp-posts.ts';
import { register } from '../../support/http/rest-client.ts';
import { objectIn } from '../../support/json.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';

const REVISION = { 'mcp-protocol-version': '2025-11-25' };
const call = (args: object = {}, name = 'get_inbox') => ({
  name,
  arguments: { alias: 'bob', wait_seconds: 60, ...args },
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function waitOf(parts: object = {}): string {
  const given = { alias: 'bob', wait_seconds: 60 };
  return encoded({ id: 'w', tool: 'get_inbox', given, endsAt: Date.now() + 60_000, total: 60, ...parts });
}

function resume({ url, networkToken }: ServedHub, id: string, token: string | undefined = networkToken) {
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  return fetch(`${url}/mcp`, { headers: { ...TAKES_STREAMS, ...REVISION, ...authorization, 'last-event-id': id } });
}

async function firstEvent(hub: ServedHub, request: Post, headers: Record<string, string>): Promise<string> {
  const response = await post(hub.url, hub.networkToken, request, headers);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const text = (await reader?.read())?.value ?? '';
  await reader?.cancel();
  return text;
}

describe('the stream of a wait', () => {
  test('begins with an empty event, whose id holds the call', async () => {
    const hub = await serveHub();
    const text = await firstEvent(hub, legacyPost('tools/call', call(), 'w'), { ...TAKES_STREAMS, ...REVISION });
    const [, id = ''] = /^id: (\S+)\nretry: 3000\ndata: \n\n/.exec(text) ?? [];
    expect(objectIn(Buffer.from(id, 'base64url').toString())).toMatchObject({ id: 'w', tool: 'get_inbox', total: 60 });
    expect(id).not.toContain(hub.networkToken);
  });

  test.each([
    ['an earlier revision', legacyPost('tools/call', call(), 'w'), { 'mcp-protocol-version': '2025-06-18' }],
    ['no revision', legacyPost('tools/call', call(), 'w'), {}],
    ['the modern era', modernPost('tools/call', call(), 'w'), {}],
    [
      'a long call',
      legacyPost('tools/call', call({ alias: '鲍'.repeat(200), network_id: 'x'.repeat(4_000) })),
      REVISION,
    ],
  ])('has no such event for %s', async (_, request, headers) => {
    expect(await firstEvent(await serveHub(), request, { ...TAKES_STREAMS, ...headers })).not.toContain('retry:');
  });
});

describe('resuming', () => {
  test('returns the mail that came meanwhile, as the response to the first call', async () => {
    const hub = await serveHub();
    const message = legacyPost('tools/call', {
      name: 'send_task',
      arguments: { alias: 'bob', task: 'paint', from_session: 'alice' },
    });
    await post(hub.url, hub.networkToken, message);
    const response = await resume(hub, waitOf());
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const text = await response.text();
    expect(text).toContain('"id":"w"');
    expect(text).toContain('paint');
  });

  test('ends with the time of the first call, and never waits longer than a call may', async () => {
    const hub = await serveHub();
    expect(await (await resume(hub, waitOf({ endsAt: 0 }))).text()).toContain(String.raw`\"messages\":[]`);
    const endless = await (await resume(hub, waitOf({ endsAt: Date.now() * 2, total: 1e9 }))).text();
    expect(endless).toContain(`wait_seconds must be a whole number from 0 to ${MAX_WAIT_SECONDS}`);
  });

  test.each([
    ['text', 'nonsense'],
    ['another value', encoded([1])],
    ['a tool that writes', waitOf({ tool: 'send_task', given: { alias: 'bob', task: 't', from_session: 'a' } })],
    ['no arguments', waitOf({ given: 'bob' })],
    ['no end', waitOf({ endsAt: 'soon' })],
  ])('%s is refused', async (_, id) => {
    const response = await resume(await serveHub(), id);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Last-Event-ID must be the id of an event of this hub');
  });

  test('takes a valid request id only', async () => {
    expect(await (await resume(await serveHub(), waitOf({ id: {} }))).text()).toContain(
      'id must be a string or a number',
    );
  });

  test('needs a token, and shows nothing of another network', async () => {
    const hub = await serveHub();
    expect((await resume(hub, waitOf(), '')).status).toBe(401);
    const message = legacyPost('tools/call', {
      name: 'send_task',
      arguments: { alias: 'bob', task: 'secret', from_session: 'alice' },
    });
    await post(hub.url, hub.networkToken, message);
    const { networkToken: stranger } = await register(hub.url, 'mallory');
    expect(await (await resume(hub, waitOf({ endsAt: 0 }), stranger)).text()).toContain(String.raw`\"messages\":[]`);
  });

  test('GET without an id stays refused', async () => {
    const { url, networkToken } = await serveHub();
    const response = await fetch(`${url}/mcp`, { headers: { authorization: `Bearer ${networkToken}` } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await fetch(`${url}/mcp`, { method: 'HEAD' })).status).toBe(405);
  });
});
