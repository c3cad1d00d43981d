// Attacks on long-lived connections: slots that are never released, permission changes of one tenant that affect
// another, and events for thousands of streams.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { PASSWORD, restClient } from '../../../../test/support/http/rest-client.ts';
import { textOf } from '../../../../test/support/json.ts';
import { until } from '../../hub.ts';
import { expectSame } from '../../row.ts';
import { type Attack, type AttackContext, repeat } from '../attack.ts';
import { healthOf } from '../health.ts';
import { ask, dial, readStatus, requestText, rpc, sendAndReset, toolCall, type WireRequest } from '../wire.ts';
import { tokensOf } from './heavy-responses.ts';

const RESETS = 500;
const RESETS_AT_ONCE = 50;
/** Streams of one token. */
const STREAMS_PER_TOKEN = 100;
const TIMEOUT_MS = 10_000;

/** Clients that disconnect during token lookup. Afterwards as many streams open as a token can have. */
export const earlyResets: Attack = {
  name: 'resets during authentication',
  prepare: async (context) => {
    const { hub, share, atEnd } = context;
    const tokens = await tokensOf(context, 1 + Math.ceil(share(RESETS) / RESETS_AT_ONCE));
    return async () => {
      for (const token of tokens) await resetMany(context, token);
      const [token = ''] = tokens;
      const sockets: Socket[] = [];
      atEnd(() => sockets.forEach((socket) => socket.destroy()));
      // The hub may accept some resets after these streams, and counts each for the few milliseconds until it ends.
      let [opened, streams] = [0, 0];
      const openOthers = async () => {
        const statuses = await openStreams(context, token, sockets, { number: STREAMS_PER_TOKEN - opened });
        opened += statuses.filter((status) => status === 200).length;
        return opened === STREAMS_PER_TOKEN;
      };
      await until(openOthers, TIMEOUT_MS).catch(() => {});
      const areOnlyThese = async () => (streams = (await healthOf(hub)).streams) === STREAMS_PER_TOKEN;
      await until(areOnlyThese, TIMEOUT_MS).catch(() => {});
      for (const socket of sockets) socket.destroy();
      await until(async () => (await healthOf(hub)).streams === 0, TIMEOUT_MS).catch(() => {});
      return [
        ...expectSame('streams that opened after the resets', opened, STREAMS_PER_TOKEN),
        ...expectSame('streams open in the metrics', streams, STREAMS_PER_TOKEN),
        ...expectSame('streams left in the metrics', (await healthOf(hub)).streams, 0),
      ];
    };
  },
};

const RECONNECTING = 150;
const CALLS = 50;
const MAX_STAY_MS = 20;

/** Each connection starts as many waits as a batch can have, and is reset at once. */
export const resetBatches: Attack = {
  name: 'batches of waits that are reset',
  prepare: async ({ hub, mallory: { networkToken: token }, draws, share }) => {
    const calls = Array.from({ length: CALLS }, (_, number) =>
      toolCall('get_inbox', { alias: `nobody ${number}`, wait_seconds: 300 }),
    );
    const request = requestText(rpc(token, calls, { Connection: 'keep-alive' }));
    return repeat(share(RECONNECTING), () => sendAndReset(hub, request, draws.below(MAX_STAY_MS)));
  },
};

/** Streams and waits, each reset at a different time. */
async function resetMany({ hub, draws }: AttackContext, token: string): Promise<void> {
  const wait = rpc(token, toolCall('get_inbox', { alias: 'nobody', wait_seconds: 60 }), { Connection: 'keep-alive' });
  const requestTo: readonly [WireRequest, WireRequest] = [{ path: '/events', token }, wait];
  const resets = Array.from({ length: RESETS_AT_ONCE }, () =>
    sendAndReset(hub, requestText(draws.oneOf(requestTo)), draws.below(3)),
  );
  await Promise.all(resets);
}

async function openStreams(
  { hub }: AttackContext,
  token: string,
  sockets: Socket[],
  { number = STREAMS_PER_TOKEN, path = '/events' } = {},
): Promise<(number | undefined)[]> {
  const opened = Array.from({ length: number }, () => {
    const socket = dial(hub);
    sockets.push(socket);
    socket.write(requestText({ path, token }));
    return readStatus(socket);
  });
  return Promise.all(opened);
}

const WAIT_SECONDS = 1;
const EARLY_MS = 100;
const CHANGING_LANES = 4;
const OPENING_LANES = 8;
const HELD_MS = 30;
const LEAST_CHANGES = 20;

/** The other tenant opens streams and waits while the attacker changes permissions as fast as it can. */
export const permissionChanges: Attack = {
  name: 'changes of rights',
  prepare: async (context) => {
    const { hub, neighbor } = context;
    const task = await restClient(hub.url, neighbor.networkToken).post('/api/tasks', {
      alias: 'nobody',
      task: 'wait',
      from_session: 'ada',
    });
    const id = textOf(task.body, 'task_id');
    return async (isOver) => {
      const found: string[] = [];
      const note = (what: string | undefined): void => void (what !== undefined && found.push(what));
      let changes = 0;
      const isEnough = (): boolean => isOver() && changes >= LEAST_CHANGES;
      const changing = repeat(CHANGING_LANES, () => changePermissions(context).finally(() => changes++))(isEnough);
      const opening = repeat(OPENING_LANES, () => keepStream(context).then(note))(isEnough);
      await repeat(OPENING_LANES, () => waitForTask(context, id).then(note))(isEnough);
      await Promise.all([changing, opening]);
      return Array.from(
        Map.groupBy(found, (each) => each),
        ([each, all]) => `${each}: ${all.length} times`,
      );
    };
  },
};

async function changePermissions({ hub, mallory }: AttackContext): Promise<void> {
  const requestTo = (path: string, body: object, method = 'POST'): WireRequest => ({
    path,
    method,
    token: mallory.userToken,
    body: JSON.stringify(body),
  });
  const made = await ask(hub, requestTo('/api/tokens', { name: 'short-lived', network_id: mallory.networkId }));
  const id = /"token_id":"(\w+)"/.exec(made.text)?.[1];
  await ask(hub, { method: 'DELETE', path: `/api/tokens/${id}`, token: mallory.userToken });
  await ask(hub, requestTo('/api/auth/me', { display_name: `name ${performance.now()}` }, 'PUT'));
}

/** Like `agenthub watch` and `agenthub work`. */
async function keepStream({ hub, neighbor }: AttackContext): Promise<string | undefined> {
  const socket = dial(hub);
  let isClosed = false;
  socket.once('close', () => (isClosed = true));
  socket.write(requestText({ path: '/events/builder', token: neighbor.networkToken }));
  const status = await readStatus(socket);
  socket.resume();
  await after(HELD_MS);
  const ended = isClosed || socket.readableEnded;
  socket.destroy();
  if (status !== 200) return `a stream returned ${status ?? 'nothing'}`;
  return ended ? 'a stream was ended' : undefined;
}

async function waitForTask({ hub, neighbor }: AttackContext, id: string): Promise<string | undefined> {
  const started = performance.now();
  const { status } = await ask(
    hub,
    rpc(neighbor.networkToken, toolCall('wait_task', { task_id: id, timeout_seconds: WAIT_SECONDS })),
  );
  if (status !== 200) return `wait_task returned ${status}`;
  return performance.now() - started < WAIT_SECONDS * 1_000 - EARLY_MS ? 'wait_task returned early' : undefined;
}

/** The maximum for one user. */
const STREAMS = 2_000;
const SENDING_LANES = 4;
const TEXT = 'x'.repeat(10_000);

/** Every stream of a network gets an event for every task in it. */
export const manyStreams: Attack = {
  name: 'sends with thousands of streams as recipients',
  prepare: async (context) => {
    const { hub, mallory, share, atEnd } = context;
    const sockets: Socket[] = [];
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    for (const token of await tokensOf(context, Math.ceil(share(STREAMS) / STREAMS_PER_TOKEN))) {
      const statuses = await openStreams(context, token, sockets);
      if (statuses.some((status) => status !== 200))
        throw new Error(`streams returned ${[...new Set(statuses)].join(', ')}`);
    }
    for (const socket of sockets) socket.resume();
    let number = 0;
    return repeat(SENDING_LANES, () => {
      const body = JSON.stringify({
        alias: 'nobody',
        task: `${number++} ${TEXT}`.slice(0, TEXT.length),
        from_session: 'mallory',
      });
      return ask(hub, { method: 'POST', path: '/api/tasks', token: mallory.networkToken, body });
    });
  },
};

const VIEWERS = 20;
const RENAMING_LANES = 8;

/** The streams of viewers follow who is in a network, where one member changes their name all the time. */
export const changesToFollow: Attack = {
  name: 'changes that thousands of streams follow',
  prepare: async (context) => {
    const { hub, mallory, atEnd } = context;
    const owner = restClient(hub.url, mallory.userToken);
    const invite = { role: 'viewer', max_uses: VIEWERS };
    const { body } = await owner.post(`/api/networks/${mallory.networkId}/invite`, invite);
    const sockets: Socket[] = [];
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    for (let number = 0; number < VIEWERS; number++) {
      const userToken = await registerFrom(hub, `viewer${number}`, `127.77.0.${number + 1}`);
      const invite_code = textOf(body, 'invite_code');
      await restClient(hub.url, userToken).post('/api/networks/join', { invite_code });
      const path = `/events?changes=true&network_id=${mallory.networkId}`;
      const statuses = await openStreams(context, userToken, sockets, { path });
      if (statuses.some((status) => status !== 200))
        throw new Error(`streams returned ${[...new Set(statuses)].join(', ')}`);
    }
    for (const socket of sockets) socket.resume();
    let number = 0;
    return repeat(RENAMING_LANES, () => {
      const content = JSON.stringify({ display_name: `name ${number++}` });
      return ask(hub, { method: 'PUT', path: '/api/auth/me', token: mallory.userToken, body: content });
    });
  },
};

const ENDING = 4_000;
const OPENED_AT_ONCE = 100;
const ENDING_ADDRESSES = 40;

/** Thousands of connections that end at once, as when a network fails. */
export const endingConnections: Attack = {
  name: 'thousands of connections that end at once',
  prepare: async ({ hub, atEnd }) => {
    const request = requestText({ method: 'GET', path: '/health/live' });
    const sockets: Socket[] = [];
    const end = (): void => sockets.splice(0).forEach((socket) => socket.destroy());
    atEnd(end);
    const open = async (number: number): Promise<void> => {
      const socket = dial(hub, `127.78.0.${1 + (number % ENDING_ADDRESSES)}`);
      sockets.push(socket);
      socket.write(request);
      if ((await readStatus(socket)) !== 200) throw new Error('a connection was not served');
    };
    return repeat(1, async () => {
      for (let opened = 0; opened < ENDING; opened += OPENED_AT_ONCE)
        await Promise.all(Array.from({ length: OPENED_AT_ONCE }, (_, number) => open(opened + number)));
      end();
    });
  },
};

/** Together with other attacks, these are more registrations than one address may make in a minute. */
async function registerFrom(hub: AttackContext['hub'], username: string, from: string): Promise<string> {
  const body = JSON.stringify({ username, password: PASSWORD });
  const { status, text } = await ask(hub, { method: 'POST', path: '/api/auth/register', body }, { from });
  const token = /"token":"(\w+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error(`registering ${username} returned ${status}`);
  return token;
}
