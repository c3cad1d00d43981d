// Malformed request bodies, rejected before validation. Each gets the error the interface defines, none causes a server
// error, and none changes stored data.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type RawRequest, type Reply, sendHeadersOnly } from '../../support/http/raw-request.ts';
import { checkedHub } from '../../support/process/checked-hub.ts';

const hub = checkedHub();

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = 'application/json';
const SEND = JSON.stringify({ alias: 'bob', task: 'x' });
const CALL = rpc({ method: 'tools/call', params: { name: 'send_task', arguments: { alias: 'bob', task: 'x' } } });

const BODIES: readonly [
  name: string,
  headers: Record<string, string>,
  body: RawRequest['body'],
  status: number,
  error: string,
][] = [
  ['no JSON', { 'Content-Type': JSON_TYPE }, '{"alias": "bob"', 400, 'invalid_request'],
  ['two JSON values', { 'Content-Type': JSON_TYPE }, '{}{}', 400, 'invalid_request'],
  ['only spaces', { 'Content-Type': JSON_TYPE }, '   ', 400, 'invalid_request'],
  [
    'invalid UTF-8',
    { 'Content-Type': JSON_TYPE },
    Buffer.from('{"alias":"bob","task":"\xff\xfe"}', 'latin1'),
    400,
    'invalid_request',
  ],
  ['nesting of 65 levels', { 'Content-Type': JSON_TYPE }, withNested(64), 400, 'invalid_request'],
  ['nesting of 100,000 levels', { 'Content-Type': JSON_TYPE }, withNested(100_000), 400, 'invalid_request'],
  ['unterminated nesting', { 'Content-Type': JSON_TYPE }, '['.repeat(500_000), 400, 'invalid_request'],
  ['a wrong content type', { 'Content-Type': 'text/plain' }, SEND, 415, 'unsupported_media_type'],
  [
    'a form',
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    'alias=bob&task=x',
    415,
    'unsupported_media_type',
  ],
  ['a type that only starts like JSON', { 'Content-Type': 'application/jsonp' }, SEND, 415, 'unsupported_media_type'],
  ['no content type', {}, Buffer.from(SEND), 415, 'unsupported_media_type'],
  ['another charset', { 'Content-Type': `${JSON_TYPE}; charset=utf-16` }, SEND, 415, 'unsupported_media_type'],
  [
    'a compressed body',
    { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' },
    gzipSync(SEND),
    415,
    'unsupported_media_type',
  ],
  [
    'a body only declared as compressed',
    { 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' },
    SEND,
    415,
    'unsupported_media_type',
  ],
  [
    'a body over 1 MiB, in chunks',
    { 'Content-Type': JSON_TYPE },
    chunks(padded(MEBIBYTE + 1)),
    413,
    'payload_too_large',
  ],
  ['a body over 1 MiB, in one piece', { 'Content-Type': JSON_TYPE }, padded(MEBIBYTE + 1), 413, 'payload_too_large'],
];

describe.each(BODIES)('%s', (_, headers, body, status, error) => {
  test('is rejected by a route', async () => {
    await hub.storingNothing(async () => expectError(await send('/api/tasks', headers, body), status, error));
  });

  test('is rejected by /mcp', async () => {
    const reply = await send('/mcp', headers, body);
    if (status !== 400) return expectError(reply, status, error);
    expect(reply).toMatchObject({
      status: 400,
      body: { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
    });
  });
});

describe('a body at the limit', () => {
  test('of exactly 1 MiB is accepted, whole and chunked', async () => {
    for (const body of [padded(MEBIBYTE), chunks(padded(MEBIBYTE))]) {
      expect(await send('/api/tasks', { 'Content-Type': JSON_TYPE }, body)).toMatchObject({
        status: 200,
        body: { ok: true },
      });
    }
  });

  test('nested 64 levels deep is accepted, and an unknown member in it is ignored', async () => {
    const { status } = await send('/api/tasks', { 'Content-Type': `${JSON_TYPE}; charset="UTF-8"` }, withNested(63));
    expect(status).toBe(200);
  });

  test('that declares more than 1 MiB is rejected before it is sent', async () => {
    const headers = { ...authorized(), 'Content-Type': JSON_TYPE, 'Content-Length': String(MEBIBYTE + 1) };
    for (const path of ['/api/tasks', '/mcp'])
      expectError(await sendHeadersOnly(hub.url(), { path, headers }), 413, 'payload_too_large');
  });

  test('that is empty and has no content type is treated as {}', async () => {
    const reply = await hub.ask({ path: '/api/tasks', headers: authorized() });
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request', message: 'alias is required' } });
  });

  test.each(['[]', '[{}]', 'null', 'true', '7', '"x"'])('that is %s is not an object', async (body) => {
    expectError(await send('/api/tasks', { 'Content-Type': JSON_TYPE }, body), 400, 'invalid_request');
    const reply = await send('/mcp', { 'Content-Type': JSON_TYPE, 'MCP-Protocol-Version': '2025-11-25' }, body);
    expect(reply).toMatchObject({ status: 400, body: { id: null, error: { code: -32600 } } });
  });

  // A member named __proto__ is treated as any unknown member: it is ignored and adds nothing to its object.
  test('with a member called __proto__ is parsed like any other', async () => {
    const within = (body: string) =>
      body.replace('"alias":"bob"', '"alias":"bob","__proto__":{"task":"y","ttl_seconds":"z"}');
    expect(await send('/api/tasks', { 'Content-Type': JSON_TYPE }, within(SEND))).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    const called = await send('/mcp', { 'Content-Type': JSON_TYPE }, within(CALL));
    expect(called).toMatchObject({
      status: 200,
      body: { result: { content: [{ text: expect.stringContaining('"ok":true') }] } },
    });
    const lending = await send('/api/tasks', { 'Content-Type': JSON_TYPE }, '{"alias":"bob","__proto__":{"task":"x"}}');
    expect(lending).toMatchObject({ status: 400, body: { message: 'task is required' } });
  });
});

function send(path: string, headers: Record<string, string>, body: RawRequest['body']): Promise<Reply> {
  return hub.ask({ path, headers: { ...authorized(), ...headers }, ...(body !== undefined && { body }) });
}

function authorized(): Record<string, string> {
  return { Authorization: `Bearer ${hub.account().networkToken}` };
}

function expectError(reply: Reply, status: number, error: string): void {
  expect({ status: reply.status, body: reply.body }).toEqual({
    status,
    body: { error, message: expect.stringMatching(/^[^\n]+$/) },
  });
}

function rpc(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
}

/** A valid request with an unknown member that contains lists nested this deep. */
function withNested(lists: number): string {
  return `{"alias":"bob","task":"x","deep":${'['.repeat(lists)}${']'.repeat(lists)}}`;
}

/** A valid request of this many bytes, most of them in an unknown member. */
function padded(bytes: number): string {
  const frame = '{"alias":"bob","task":"x","padding":""}';
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
}

function chunks(text: string): string[] {
  return text.match(/.{1,65536}/gs) ?? [];
}
