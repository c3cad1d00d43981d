// Attacks on long-lived connections: slots that are never released, and permission changes of one tenant that affect
// another.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { until } from '../hub.ts';
import { expectSame } from '../row.ts';
import { type Attack, type Ground, repeat } from './attack.ts';
import { vitalsOf } from './health.ts';
import { tokensOf } from './heavy-responses.ts';
import { type Asked, ask, dial, readStatus, requestText, rpc, sendAndReset, toolCall } from './wire.ts';

const RESETS = 500;
const RESETS_AT_ONCE = 50;
/** Streams of one token. */
export const PLACES = 100;
const TIMEOUT_MS = 10_000;

/** Clients that disconnect during token lookup. Afterwards as many streams open as a token can have. */
export const earlyResets: Attack = {
  name: 'resets during authentication',
  prepare: async (ground) => {
    const { hub, share, atEnd } = ground;
    const tokens = await tokensOf(ground, 1 + Math.ceil(share(RESETS) / RESETS_AT_ONCE));
    return async () => {
      for (const token of tokens) await resetMany(ground, token);
      const [token = ''] = tokens;
      const sockets: Socket[] = [];
      atEnd(() => sockets.forEach((socket) => socket.destroy()));
      const statuses = await openStreams(ground, token, sockets);
      const { streams } = await vitalsOf(hub);
      for (const socket of sockets) socket.destroy();
      await until(async () => (await vitalsOf(hub)).streams === 0, TIMEOUT_MS).catch(() => {});
      return [
        ...expectSame(
          'streams that opened after the resets',
          statuses.filter((status) => status === 200).length,
          PLACES,
        ),
        ...expectSame('streams open in the metrics', streams, PLACES),
        ...expectSame('streams left in the metrics', (await vitalsOf(hub)).streams, 0),
      ];
    };
  },
};

/** Streams and waits, each reset at a different time. */
async function resetMany({ hub, draws }: Ground, token: string): Promise<void> {
  const wait = rpc(token, toolCall('get_inbox', { alias: 'nobody', wait_seconds: 60 }), { Connection: 'keep-alive' });
  const asked: readonly [Asked, Asked] = [{ path: '/events', token }, wait];
  const resets = Array.from({ length: RESETS_AT_ONCE }, () =>
    sendAndReset(hub, requestText(draws.oneOf(asked)), draws.below(3)),
  );
  await Promise.all(resets);
}

export async function openStreams({ hub }: Ground, token: string, sockets: Socket[]): Promise<(number | undefined)[]> {
  const opened = Array.from({ length: PLACES }, () => {
    const socket = dial(hub);
    sockets.push(socket);
    socket.write(requestText({ path: '/events', token }));
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

/** The tenant next door opens streams and waits while the attacker changes permissions as fast as it can. */
export const changesOfRights: Attack = {
  name: 'changes of rights',
  prepare: async (ground) => {
    const { hub, neighbour } = ground;
    const task = await restClient(hub.url, neighbour.networkToken).post('/api/tasks', {
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
      const changing = repeat(CHANGING_LANES, () => changeRights(ground).finally(() => changes++))(isEnough);
      const opening = repeat(OPENING_LANES, () => keepStream(ground).then(note))(isEnough);
      await repeat(OPENING_LANES, () => waitForTask(ground, id).then(note))(isEnough);
      await Promise.all([changing, opening]);
      return Array.from(
        Map.groupBy(found, (each) => each),
        ([each, all]) => `${each}: ${all.length} times`,
      );
    };
  },
};

async function changeRights({ hub, mallory }: Ground): Promise<void> {
  const asked = (path: string, body: object, method = 'POST'): Asked => ({
    path,
    method,
    token: mallory.userToken,
    body: JSON.stringify(body),
  });
  const made = await ask(hub, asked('/api/tokens', { name: 'short-lived', network_id: mallory.networkId }));
  const id = /"token_id":"(\w+)"/.exec(made.text)?.[1];
  await ask(hub, { method: 'DELETE', path: `/api/tokens/${id}`, token: mallory.userToken });
  await ask(hub, asked('/api/auth/me', { display_name: `name ${performance.now()}` }, 'PUT'));
}

/** Like `agenthub watch` and `agenthub work`. */
async function keepStream({ hub, neighbour }: Ground): Promise<string | undefined> {
  const socket = dial(hub);
  let isClosed = false;
  socket.once('close', () => (isClosed = true));
  socket.write(requestText({ path: '/events/builder', token: neighbour.networkToken }));
  const status = await readStatus(socket);
  socket.resume();
  await after(HELD_MS);
  const ended = isClosed || socket.readableEnded;
  socket.destroy();
  if (status !== 200) return `a stream returned ${status ?? 'nothing'}`;
  return ended ? 'a stream was ended' : undefined;
}

async function waitForTask({ hub, neighbour }: Ground, id: string): Promise<string | undefined> {
  const started = performance.now();
  const { status } = await ask(
    hub,
    rpc(neighbour.networkToken, toolCall('wait_task', { task_id: id, timeout_seconds: WAIT_SECONDS })),
  );
  if (status !== 200) return `wait_task returned ${status}`;
  return performance.now() - started < WAIT_SECONDS * 1_000 - EARLY_MS ? 'wait_task returned early' : undefined;
}
