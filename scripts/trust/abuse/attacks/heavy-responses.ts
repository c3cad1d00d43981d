// Attacks with large responses: small requests for as much data as the hub returns.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { register, restClient } from '../../../../test/support/http/rest-client.ts';
import { textOf } from '../../../../test/support/json.ts';
import { type Attack, type AttackContext, CONTROL, callInBatches, repeat } from '../attack.ts';
import { ask, dial, type Reply, readStatus, requestText, rpc, sendAndReset, toolCall } from '../wire.ts';

const INBOX = 100;
const TEXT = 10_000;
const CALLS = 50;
const SENDS_PER_BATCH = 5;

async function fillInbox(context: AttackContext, text: string, count = INBOX): Promise<void> {
  const sends = Array.from({ length: count }, (_, number) => ({
    alias: 'full',
    task: text,
    context: text,
    from_session: `mallory-${number}`,
  }));
  await callInBatches(context, context.mallory.networkToken, 'send_task', sends, SENDS_PER_BATCH);
}

export const inboxBatches: Attack = {
  name: 'batches of get_inbox',
  prepare: async (context) => {
    await fillInbox(context, CONTROL);
    const batch = Array.from({ length: CALLS }, (_, id) =>
      toolCall('get_inbox', { alias: 'full', limit: INBOX }, id + 1),
    );
    return repeat(2, () => ask(context.hub, rpc(context.mallory.networkToken, batch)));
  },
};

/** Returns the tokens of new accounts with such names, each of which has sent these tasks in its first network. */
export async function newAccounts(
  context: AttackContext,
  name: string,
  count: number,
  sends: readonly object[],
  perBatch?: number,
): Promise<string[]> {
  const tokens: string[] = [];
  for (let number = 0; number < count; number++) {
    const { networkToken } = await register(context.hub.url, `${name}${number}`);
    await callInBatches(context, networkToken, 'send_task', sends, perBatch);
    tokens.push(networkToken);
  }
  return tokens;
}

/** With those of other attacks, no more registrations than one address may make in a minute. */
const USERS = 22;
const TASKS_EACH = 7;

/** Users who each read as much as they are allowed to, all at the same time. */
export const batchesOfManyUsers: Attack = {
  name: 'batches of many users',
  prepare: async (context) => {
    const batch = Array.from({ length: CALLS }, (_, id) =>
      id % 2 === 0
        ? toolCall('get_inbox', { alias: 'full', limit: INBOX }, id + 1)
        : toolCall('list_tasks', { limit: INBOX }, id + 1),
    );
    const sends = Array.from({ length: TASKS_EACH }, (_, task) => ({
      alias: 'full',
      task: CONTROL,
      context: CONTROL,
      from_session: `m${task}`,
    }));
    const tokens = await newAccounts(context, 'batch', USERS, sends);
    return repeat(tokens.length, (lane) => ask(context.hub, rpc(tokens[lane] ?? '', batch)));
  },
};

const SESSIONS = 20_000;
const ATTRIBUTE = 2_000;
const REPORTS_PER_BATCH = 20;

export const sessionLists: Attack = {
  name: 'lists of sessions',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const reports = Array.from({ length: share(SESSIONS) }, (_, number) => reportOf(number));
    await callInBatches(context, mallory.networkToken, 'report_status', reports, REPORTS_PER_BATCH);
    const lists = ['/api/status', '/api/nodes'].map((path) => ({ path, token: mallory.networkToken }));
    const calls = [
      toolCall('get_all_status', {}),
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'hub://status' } },
      completion,
    ];
    const batch = [...lists, ...calls.map((call) => rpc(mallory.networkToken, call))];
    return repeat(batch.length, (lane) => ask(hub, batch[lane] ?? { path: '/api/status' }));
  },
};

const completion = {
  jsonrpc: '2.0',
  id: 1,
  method: 'completion/complete',
  params: { ref: { type: 'ref/prompt', name: 'check_inbox' }, argument: { name: 'alias', value: '' } },
};

function reportOf(number: number): object {
  const long = `${number}`.padEnd(ATTRIBUTE, '\u0001');
  return {
    resume_id: `session-${number}`,
    alias: `agent-${number}`,
    status: 'idle',
    model: long,
    server: long,
    project_dir: long,
  };
}

const READERS = 300;
const READERS_PER_TOKEN = 25;
const UNREAD_SECONDS = 4;
/** The first few fit into the socket buffers. One more would close the connection. */
const PAGES_EACH = 15;

/** Each with whole pages of messages in transit, of which it reads the first bytes. */
export const unreadResponses: Attack = {
  name: 'unread responses',
  prepare: async (context) => {
    const { hub, mallory, share, atEnd } = context;
    await fillInbox(context, '\u{1F980}'.repeat(TEXT));
    const tokens = await tokensOf(context, Math.ceil(share(READERS) / READERS_PER_TOKEN));
    return async (isOver) => {
      const sockets = Array.from({ length: share(READERS) }, (_, number) => {
        const socket = dial(hub);
        const batch = requestText({
          path: '/api/messages?alias=full&limit=500',
          token: tokens[number % tokens.length] ?? mallory.networkToken,
        });
        socket.write(Buffer.concat(Array<Buffer>(PAGES_EACH).fill(batch)));
        return { socket, begun: readStatus(socket) };
      });
      atEnd(() => sockets.forEach(({ socket }) => socket.destroy()));
      await Promise.all(sockets.map(({ begun }) => begun));
      const until = performance.now() + share(UNREAD_SECONDS * 1_000);
      while (!isOver() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
      sockets.forEach(({ socket }) => socket.destroy());
      return [];
    };
  },
};

const PAGE_USERS = 4;
const PAGE_SENDS_PER_BATCH = 10;
const CONNECTIONS_EACH = 20;
const PAGES_AHEAD = 16;
const PAGE_TASKS = 500;
const REOPENED_AFTER_MS = 2_000;

/** Accounts with a network each, whose connections ask for many long pages in advance and read none. */
export const pagesOfManyUsers: Attack = {
  name: 'unread pages of many users',
  prepare: async (context) => {
    const { hub, share, atEnd } = context;
    const sends = Array.from({ length: share(PAGE_TASKS) }, (_, task) => ({
      alias: 'full',
      task: `${task} ${CONTROL}`.slice(0, TEXT),
      from_session: `m${task}`,
    }));
    const tokens = await newAccounts(context, 'page', PAGE_USERS, sends, PAGE_SENDS_PER_BATCH);
    const sockets = new Set<Socket>();
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    return repeat(PAGE_USERS * CONNECTIONS_EACH, async (lane) => {
      const page = requestText({ path: '/api/tasks?limit=500', token: tokens[lane % tokens.length] ?? '' });
      const socket = dial(hub);
      sockets.add(socket);
      socket.write(Buffer.concat(Array<Buffer>(PAGES_AHEAD).fill(page)));
      await Promise.race([once(socket, 'close'), after(share(REOPENED_AFTER_MS))]);
      socket.destroy();
      sockets.delete(socket);
    });
  },
};

const WAITING = 4_500;
const WAITING_PER_TOKEN = 90;
const WAIT_SECONDS = 30;
/** A burst of connections is another attack. */
const OPENED_AT_ONCE = 50;
const OPENING_MS = 20;

/** Many clients wait for one task, and all receive its long result at once. */
export const settledWaits: Attack = {
  name: 'waits for one long result',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const tokens = await tokensOf(context, Math.ceil(share(WAITING) / WAITING_PER_TOKEN));
    const call = async (name: string, args: object): Promise<string> =>
      (await ask(hub, rpc(mallory.networkToken, toolCall(name, args)))).text;
    let number = 0;
    return async () => {
      const sent = await call('send_task', { alias: 'slow', task: CONTROL, context: `${number++}`, from_session: 'm' });
      const task_id = /task_id\W+(task_\w+)/.exec(sent)?.[1];
      const waiting: Promise<Reply>[] = [];
      while (waiting.length < share(WAITING)) {
        const token = tokens[waiting.length % tokens.length] ?? '';
        waiting.push(ask(hub, rpc(token, toolCall('wait_task', { task_id, timeout_seconds: WAIT_SECONDS }))));
        if (waiting.length % OPENED_AT_ONCE === 0) await after(OPENING_MS);
      }
      const reply = { alias: 'm', text: CONTROL, from_session: 'slow', in_reply_to: task_id, status: 'replied' };
      await call('send_reply', reply);
      const replies = await Promise.all(waiting);
      const whole = replies.filter(({ bytes, isWhole }) => isWhole && bytes > 2 * CONTROL.length).length;
      return whole === replies.length
        ? []
        : [`${replies.length - whole} of ${replies.length} waits without the result`];
    };
  },
};

const RECONNECTING = 1_200;
const RESET_AFTER_MS = 1_000;

/** Clients that ask for a long page, leave before they can read it, and come back. */
export const reconnectingReaders: Attack = {
  name: 'readers that leave and come back',
  prepare: async (context) => {
    const {
      hub,
      mallory: { networkToken: token },
      share,
    } = context;
    await fillInbox(context, CONTROL);
    const inbox = rpc(token, toolCall('get_inbox', { alias: 'full', limit: INBOX }));
    const lists = ['/api/messages?limit=500', '/api/tasks?limit=500'].map((path) => ({ path, token }));
    const requests = [inbox, ...lists].map(requestText);
    return repeat(share(RECONNECTING), (lane) =>
      sendAndReset(hub, requests[lane % requests.length] ?? Buffer.of(), share(RESET_AFTER_MS)),
    );
  },
};

export async function tokensOf({ hub, mallory }: AttackContext, count: number): Promise<string[]> {
  const rest = restClient(hub.url, mallory.userToken);
  const made = Array.from({ length: count }, (_, number) =>
    rest.post('/api/tokens', { name: `token ${number}`, network_id: mallory.networkId }),
  );
  return (await Promise.all(made)).map(({ body }) => textOf(body, 'token'));
}

const NETWORKS = 90;
const NETWORKS_AT_ONCE = 10;

/** A caller with many memberships, all of which are part of every request. */
export const manyNetworks: Attack = {
  name: 'lists of networks and tokens',
  prepare: async (context) => {
    const { hub, share } = context;
    const eve = await register(hub.url, 'eve');
    const rest = restClient(hub.url, eve.userToken);
    for (let made = 0; made < share(NETWORKS); made += NETWORKS_AT_ONCE) {
      await Promise.all(
        Array.from({ length: NETWORKS_AT_ONCE }, (_, lane) =>
          rest.post('/api/networks', { name: `network ${made + lane}` }),
        ),
      );
      await Promise.all(
        Array.from({ length: NETWORKS_AT_ONCE }, (_, lane) =>
          rest.post('/api/tokens', { name: `token ${made + lane}` }),
        ),
      );
    }
    const paths = ['/api/networks', '/api/tokens', '/api/status', '/api/stats', '/api/tasks', '/api/messages'];
    return repeat(paths.length, (lane) => ask(hub, { path: paths[lane] ?? '/api/networks', token: eve.userToken }));
  },
};
