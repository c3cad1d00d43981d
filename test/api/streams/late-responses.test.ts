// Responses that fail unexpectedly: the response is closed, the log has the request id, and the process continues.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_UNREAD_BYTES_PER_USER } from '../../../server/domain/limits.ts';
import { openMetrics } from '../../../server/events/metrics.ts';
import { openLateResponses } from '../../../server/http/late-responses.ts';
import { openResponseMemory } from '../../../server/http/limits/response-memory.ts';
import { logRequests } from '../../../server/http/request-log.ts';
import type { Late, LateAnswer } from '../../../server/mcp/late-answer.ts';
import { openTestHub } from '../../support/test-hub.ts';

type Run = () => Promise<LateAnswer>;

async function serve(run: Run, opens?: Late<LateAnswer>['opens']) {
  const hub = await openTestHub();
  const logged: object[] = [];
  const log = { ...hub.log, error: (fields: object, message: string) => void logged.push({ ...fields, message }) };
  const responseMemory = openResponseMemory(openMetrics());
  const slow = openLateResponses({ ...hub, log }, responseMemory, 15);
  const koa = new Koa()
    .use(logRequests(hub))
    .use((ctx) => slow.begin(ctx, { token_id: 'tok_1', user_id: 'usr_1' }, { opens, run }));
  const server = createServer(koa.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    logged,
    slow,
    responseMemory,
    ask: () => fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-request-id': 'r-1' } }),
  };
}

const planted: Run = () => Promise.reject(new Error('planted'));
const unwritable: Run = () => Promise.resolve({ status: 200, pieces: null as unknown as string[] });

test.each([
  ['rejects', planted],
  ['cannot be written', unwritable],
])('a response that %s is a 500 with a JSON-RPC error, logged with its request', async (_, run) => {
  const { ask, logged, slow } = await serve(run);
  const response = await ask();
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { jsonrpc: '2.0', id: null, error: { code: -32603 } },
  ]);
  expect(logged).toEqual([{ err: expect.any(Error), request_id: 'r-1', message: 'response failed' }]);
  await expect.poll(slow.count).toBe(0);
});

test.each([0, 1])(
  'a response of several megabytes arrives complete, whatever character is at a chunk boundary: %i',
  async (shift) => {
    const body = JSON.stringify('x'.repeat(shift) + '\u{1F980}'.repeat(500_000));
    const pieces = ['[', body, ',', '1', ',', body, ']'];
    const whole = pieces.join('');
    const { ask } = await serve(async () => ({ status: 200, pieces }));
    const response = await ask();
    expect([Number(response.headers.get('content-length')), (await response.text()) === whole]).toEqual([
      Buffer.byteLength(whole),
      true,
    ]);
  },
);

test.each([0, 1])('… and as the last message of a stream: %i', async (shift) => {
  const body = JSON.stringify('x'.repeat(shift) + '\u{1F980}'.repeat(500_000));
  const { ask } = await serve(async () => ({ status: 200, pieces: [body] }), 'stream');
  expect((await (await ask()).text()).endsWith(`event: message\ndata: ${body}\n\n`)).toBe(true);
});

test.each(['stream', 'JSON'] as const)('%s that was opened is closed when its response rejects', async (opens) => {
  const { ask, logged, slow } = await serve(planted, opens);
  const response = await ask();
  await expect(response.text()).rejects.toThrow();
  expect(logged).toMatchObject([{ request_id: 'r-1', message: 'response failed' }]);
  await expect.poll(slow.count).toBe(0);
});

test("a response beyond the user's memory limit is rejected with a retry time", async () => {
  const { ask, logged } = await serve(async () => ({
    status: 200,
    pieces: ['x'.repeat(MAX_UNREAD_BYTES_PER_USER)],
  }));
  const unread = await Promise.all([ask(), ask()]);
  const statuses = unread.map(({ status }) => status).sort();
  expect(logged).toEqual([]);
  expect(statuses).toEqual([200, 429]);
  expect(unread.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('5');
  await Promise.all(unread.map((response) => response.body?.cancel()));
});
