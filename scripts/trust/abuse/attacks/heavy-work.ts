// Attacks with expensive work: passwords to check, tasks to expire, mail to move, texts to search.
import { setTimeout as after } from 'node:timers/promises';
import { type Attack, callInBatches, repeat } from '../attack.ts';
import { ask, requestText, rpc, sendAndReset, toolCall } from '../wire.ts';

const LOGIN_ADDRESSES = 200;
const LOGIN_PAUSE_MS = 20;

/** From many addresses of this machine, because each is limited to ten attempts a minute. */
export const logins: Attack = {
  name: 'logins with wrong passwords',
  prepare: async ({ hub }) => {
    let next = 0;
    return repeat(1, async () => {
      const from = `127.0.${2 + (Math.floor(next / LOGIN_ADDRESSES) % 200)}.${1 + (next % LOGIN_ADDRESSES)}`;
      const username = next++ % 2 === 0 ? 'ada' : `nobody${next}`;
      void ask(
        hub,
        { path: '/api/auth/login', body: JSON.stringify({ username, password: 'wrong password' }) },
        { from },
      );
      await after(LOGIN_PAUSE_MS);
    });
  },
};

const DUE_MS = 500;
/** Characters of four bytes, as many as a task and its context may have. */
const LONG = '\u{1f600}'.repeat(9_990);

type Expiries = {
  count: number;
  storedPerSecond: number;
  perBatch?: number;
  texts: { task: string; context?: string };
};

/** All of them expire at once, with the first request for lists that must not show them as open. */
function expiring(name: string, { count, storedPerSecond, perBatch, texts }: Expiries): Attack {
  return {
    name,
    prepare: async (context) => {
      const { hub, mallory, share } = context;
      const ttl_seconds = 1 + Math.ceil(share(count) / storedPerSecond);
      const sends = Array.from({ length: share(count) }, (_, number) => ({
        alias: `agent-${number % 50}`,
        ...texts,
        from_session: `m${number}`,
        ttl_seconds,
      }));
      await callInBatches(context, mallory.networkToken, 'send_task', sends, perBatch);
      const paths = ['/api/tasks?limit=1', '/api/stats'];
      const asking = repeat(paths.length, (lane) =>
        ask(hub, { path: paths[lane] ?? '/', token: mallory.networkToken }),
      );
      const dueAt = performance.now() + ttl_seconds * 1_000;
      return async (isOver) => {
        // A request before would expire the first ones while the last are not due.
        await after(Math.max(0, dueAt - performance.now()));
        return asking(() => isOver() && performance.now() > dueAt + DUE_MS);
      };
    },
  };
}

export const expiries = expiring('many concurrent expiries', {
  count: 30_000,
  storedPerSecond: 5_000,
  texts: { task: 't' },
});

export const longExpiries = expiring('concurrent expiries of long texts', {
  count: 2_500,
  storedPerSecond: 250,
  perBatch: 8,
  texts: { task: LONG, context: LONG },
});

const DRAGGED = 5_000;
const TASK = 'x'.repeat(2_000);

/** One agent with thousands of open tasks renames itself repeatedly, which moves all of its mail. */
export const renames: Attack = {
  name: 'renames with thousands of tasks',
  prepare: async (context) => {
    const { mallory, share } = context;
    const report = (number: number): object => ({ resume_id: 'r1', alias: `name-${number}`, status: 'idle' });
    await callInBatches(context, mallory.networkToken, 'report_status', [report(0)]);
    const sends = Array.from({ length: share(DRAGGED) }, (_, number) => ({
      alias: 'name-0',
      task: TASK,
      from_session: `m${number}`,
    }));
    await callInBatches(context, mallory.networkToken, 'send_task', sends);
    let number = 0;
    return repeat(1, () => callInBatches(context, mallory.networkToken, 'report_status', [report(++number)]));
  },
};

const RENAMING = 20;
const MAX_STAY_MS = 200;
const MAX_RENAME_MS = 10_000;

/**
 * Renames of one agent at the same time, most of them by clients that leave. Each has to move everything, and they must
 * not keep each other from ending.
 */
export const concurrentRenames: Attack = {
  name: 'renames of one agent at the same time',
  prepare: async (context) => {
    const { hub, mallory, draws, share } = context;
    const report = (alias: string) =>
      rpc(mallory.networkToken, toolCall('report_status', { resume_id: 'r1', alias, status: 'idle' }));
    await ask(hub, report('name-0'));
    const sends = Array.from({ length: share(DRAGGED) }, (_, number) => ({
      alias: 'name-0',
      task: 't',
      from_session: `m${number}`,
    }));
    await callInBatches(context, mallory.networkToken, 'send_task', sends);
    let number = 0;
    const renaming = repeat(RENAMING, () =>
      sendAndReset(hub, requestText(report(`name-${++number}`)), draws.below(MAX_STAY_MS)),
    );
    return async (isOver) => {
      await renaming(isOver);
      const { status } = await ask(hub, report('the last name'), { timeoutMs: MAX_RENAME_MS });
      return status === 200 ? [] : [`a rename after the others returned ${status} within ${MAX_RENAME_MS} ms`];
    };
  },
};

const SEARCHED = 5_000;
const SHORT = 40_000;
const LONG_TEXT = 10_000;

/**
 * No match and no index: every position of each long text begins like the search term. A search that has become used to
 * the short texts, which are newer, must not take as many long ones at once.
 */
export const searches: Attack = {
  name: 'searches and filters',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const send = (task: string, count: number) =>
      Array.from({ length: share(count) }, (_, number) => ({ alias: 'library', task, from_session: `m${number}` }));
    await callInBatches(context, mallory.networkToken, 'send_task', send('x'.repeat(LONG_TEXT), SEARCHED));
    await callInBatches(context, mallory.networkToken, 'send_task', send('x', SHORT));
    const paths = [
      `/api/tasks?text=${'x'.repeat(190)}y`,
      `/api/tasks?text=${'x'.repeat(190)}y&order=oldest`,
      '/api/tasks?priority=low&with_total=true',
      '/api/tasks?to_name=library&status=delivered&from_name=nobody',
      '/api/messages?from_session=nobody',
      '/api/messages?pending=false',
    ];
    return repeat(paths.length, (lane) => ask(hub, { path: paths[lane] ?? '/', token: mallory.networkToken }));
  },
};
