// Batches: calls start in order, each call holds one connection slot, and the responses share a byte budget.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_BATCH_ANSWER_BYTES, MAX_BATCH_CALLS, MAX_WAITS_PER_TOKEN } from '../../../server/domain/limits.ts';
import { type BatchCall, type Refusal, runBatch } from '../../../server/mcp/batch.ts';
import type { Full } from '../../../server/mcp/late-answer.ts';
import { legacyPost, send as post } from '../../support/http/mcp-posts.ts';
import { FREE_ROOM } from '../../support/response-room.ts';
import { serveHub } from '../../support/served-hub.ts';

const MIB = 1024 * 1024;
const BUDGET_MIB = MAX_BATCH_ANSWER_BYTES / MIB;
const NOBODY_LEFT = new AbortController().signal;

type Begun = Awaited<ReturnType<BatchCall['begin']>>;

function call(begin: () => Begun): BatchCall & { begun: () => number } {
  let begun = 0;
  return {
    begin: async () => {
      begun++;
      return begin();
    },
    refuse: () => 'refused',
    begun: () => begun,
  };
}

const waitUntilEnded = (): Begun => ({
  run: (gone) =>
    new Promise((resolve) => gone.addEventListener('abort', () => resolve({ status: 200, pieces: ['ended'] }))),
});
const callReturning = (mebibytes: number, letter = 'x') => call(() => letter.repeat(mebibytes * MIB));
const sizes = (entries: readonly string[]) =>
  entries.map((entry) => (entry === 'refused' ? entry : Buffer.byteLength(entry) / MIB));

describe('the budget of a batch', () => {
  test('is counted in bytes, and calls beyond it are rejected without running', async () => {
    const calls = [
      ...Array.from({ length: BUDGET_MIB / 2 - 1 }, () => callReturning(1, 'я')),
      callReturning(2),
      callReturning(0),
      callReturning(0),
    ];
    const last = calls.at(-1);
    expect(sizes(await runBatch([...calls], NOBODY_LEFT, FREE_ROOM))).toEqual([2, 2, 2, 2, 'refused', 'refused']);
    expect(last?.begun()).toBe(0);
  });

  test('rejects a response that exceeds the rest of the budget, and all later calls', async () => {
    const calls = [callReturning(5), callReturning(5), callReturning(0)];
    expect(sizes(await runBatch([...calls], NOBODY_LEFT, FREE_ROOM))).toEqual([5, 'refused', 'refused']);
    expect(calls.map(({ begun }) => begun())).toEqual([1, 1, 0]);
  });

  test('ends waits when it is used up, and reserves room for the response of concurrent writes', async () => {
    const untilEnded = call(waitUntilEnded);
    const soon = () =>
      call(() => ({
        run: async () => {
          await nextTurn();
          return { status: 200, pieces: ['w'.repeat((BUDGET_MIB - 1) * MIB)] };
        },
      }));
    const written = call(() => 'written');
    const slowWrite: BatchCall = {
      ...written,
      begin: async () => {
        await nextTurn();
        await nextTurn();
        return written.begin();
      },
    };
    const [first, ...entries] = await runBatch([untilEnded, soon(), soon(), slowWrite], NOBODY_LEFT, FREE_ROOM);
    expect(first).toBe('ended');
    expect(sizes(entries.slice(0, 2))).toEqual([BUDGET_MIB - 1, 'refused']);
    expect(entries.at(-1)).toBe('written');
  });
});

test('a response beyond the memory limit of the user or the hub is rejected, and no later call runs', async () => {
  const calls = [callReturning(1), callReturning(2), callReturning(0)];
  const reasons: Refusal[] = [];
  const bestEffort = calls.map(
    ({ begin }): BatchCall => ({
      begin,
      refuse: (why) => {
        reasons.push(why);
        return 'refused';
      },
    }),
  );
  const take = (bytes: number): Full | undefined => (bytes > MIB ? 'user' : undefined);
  expect(sizes(await runBatch(bestEffort, NOBODY_LEFT, { ...FREE_ROOM, take }))).toEqual([1, 'refused', 'refused']);
  expect(reasons).toEqual(['user', 'user']);
  expect(calls.map(({ begun }) => begun())).toEqual([1, 1, 0]);
});

test('calls do not run once the client has disconnected', async () => {
  const calls = [callReturning(0), callReturning(0)];
  await runBatch([...calls], NOBODY_LEFT, { ...FREE_ROOM, isAbandoned: () => calls[0]?.begun() === 1 });
  expect(calls.map(({ begun }) => begun())).toEqual([1, 0]);
});

test('a batch ends its waits when other users need its memory', async () => {
  const pressed = new AbortController();
  const waiting = call(waitUntilEnded);
  const entries = runBatch([waiting], NOBODY_LEFT, { ...FREE_ROOM, pressed: pressed.signal });
  await nextTurn();
  pressed.abort();
  expect(await entries).toEqual(['ended']);
});

test('calls start in order: one call reads what the previous one wrote', async () => {
  const hub = await serveHub();
  const message = [
    legacyPost('tools/call', { name: 'send_task', arguments: { alias: 'bob', task: 'first this' } }, 1).message,
    legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'bob' } }, 2).message,
  ];
  const response = await post(hub.url, hub.networkToken, { headers: {}, message });
  expect(await response.json()).toMatchObject([
    { id: 1 },
    { id: 2, result: { content: [{ text: expect.stringContaining('first this') }] } },
  ]);
});

test('each call of a batch holds a connection slot until the batch ends', async () => {
  const hub = await serveHub();
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const wait = legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300 } }).message;
  const ask = (calls: number) =>
    post(hub.url, hub.networkToken, { headers: {}, message: Array(calls).fill(wait) }, {}, leaving.signal);
  const open = Array.from({ length: MAX_WAITS_PER_TOKEN / MAX_BATCH_CALLS }, () => ask(MAX_BATCH_CALLS));
  for (const batch of open) batch.catch(() => {});
  await expect.poll(() => hub.app.mcp.count()).toBe(MAX_WAITS_PER_TOKEN);
  expect((await ask(1)).status).toBe(429);
  leaving.abort();
  await expect.poll(() => hub.app.mcp.count()).toBe(0);
});
