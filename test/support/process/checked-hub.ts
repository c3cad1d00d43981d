// One hub for a whole file of bad-input tests. Whatever is sent to it, it must never return a 5xx, log an error, or
// store anything it rejected.
import { afterAll, beforeAll, expect } from 'vitest';
import { type RawRequest, type Reply, sendRaw } from '../http/raw-request.ts';
import { type Account, register, restClient } from '../http/rest-client.ts';
import { readStoredData, type StoredData } from '../store/stored-data.ts';
import { ANY_TARGET } from './hub-process.ts';
import { BEHIND_A_PROXY, type RunningHub, setupTokenOf, startHub } from './running-hub.ts';

export type CheckedHub = {
  url(): string;
  account(): Account;
  /** Sends the request and checks that the hub did not fail. */
  ask(rest: RawRequest): Promise<Reply>;
  /** Runs `act` and checks that no table has a row more or less. */
  storingNothing(act: () => Promise<void>): Promise<void>;
};

/** Call this at the top of a test file. */
export function checkedHub(args: readonly string[] = []): CheckedHub {
  const cleanups: (() => Promise<void>)[] = [];
  let hub: RunningHub;
  let account: Account;
  let stored: StoredData;
  let count = 0;

  beforeAll(async () => {
    hub = await startHub({
      target: ANY_TARGET,
      args: [...BEHIND_A_PROXY, ...args],
      atEnd: (cleanup) => void cleanups.unshift(cleanup),
    });
    account = await register(hub.url, 'ada', await setupTokenOf(hub));
    stored = await readStoredData(hub.data);
  });

  afterAll(async () => {
    stored.close();
    const code = await hub.stop();
    for (const cleanup of cleanups) await cleanup();
    expect(hub.output()).not.toContain('"level":"error"');
    expect(code).toBe(0);
  });

  /** Without the readers of notifiers, which a sweep stores at its own time. */
  const countRows = async (): Promise<Record<string, number>> => {
    const { notifier_readers: _, ...counts } = await stored.counts();
    return counts;
  };

  return {
    url: () => hub.url,
    account: () => account,
    ask: async (rest) => {
      const reply = await sendRaw(hub.url, {
        ...rest,
        headers: { 'X-Forwarded-For': address(++count), ...rest.headers },
      });
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(500);
      return reply;
    },
    storingNothing: async (act) => {
      await settle(hub.url, account);
      const before = await countRows();
      await act();
      expect(await countRows()).toEqual(before);
    },
  };
}

/** An empty write queues behind the writes that follow a response. */
async function settle(url: string, { networkToken }: Account): Promise<void> {
  const { status } = await restClient(url, networkToken).post('/api/tasks/task_none/cancel');
  expect(status).toBe(404);
}

/** Every request uses another address, so that the rate limit never applies. */
function address(count: number): string {
  return `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
}
