// Attacks of different kinds at the same time, from many addresses: each alone is bounded, and they must not add up.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { type Attack, CONTROL, callInBatches, repeat } from '../attack.ts';
import { ask, dial, requestText, rpc, toolCall, type WireRequest } from '../wire.ts';
import { newAccounts } from './heavy-responses.ts';

const CONNECTIONS = 500;
const ADDRESSES = 60;
const RECONNECT_MS = 100;
const HELD_MS = 3_000;
const MESSAGES = 90;
const SENDS_PER_BATCH = 15;
const CALLS = 50;
const BATCHES = 10;
const BODIES = 15;
const PADDING = 'y'.repeat(60_000);

export const bodiesAndBatches: Attack = {
  name: 'pipelined bodies and unread batches from 60 addresses',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const token = mallory.networkToken;
    const sends = Array.from({ length: MESSAGES }, (_, number) => ({
      alias: 'full',
      message: `${CONTROL.slice(3)}${number}`,
    }));
    await callInBatches(context, token, 'send_message', sends, SENDS_PER_BATCH);
    const calls = Array.from({ length: CALLS }, (_, id) =>
      toolCall('get_inbox', { alias: 'full', limit: 100 }, id + 1),
    );
    const batches = Buffer.concat(Array<Buffer>(BATCHES).fill(requestText(rpc(token, calls))));
    const bodies = Buffer.concat(Array<Buffer>(BODIES).fill(requestText(rpc(token, { ...PING, padding: PADDING }))));
    const lanes = share(CONNECTIONS);
    return repeat(2 * lanes, async (lane) => {
      const socket = dial(hub, `127.0.0.${2 + (lane % ADDRESSES)}`);
      if (lane < lanes) socket.pause().write(batches);
      else socket.resume().write(bodies);
      await closed(socket);
      await after(RECONNECT_MS);
    });
  },
};

const CROWD = 10;
const CROWD_TASKS = 90;
const CROWD_LANES = { bodies: 100, batches: 6, escapes: 12, pages: 20 };
const UNFINISHED = 'x'.repeat(900_000);
const ESCAPES = CONTROL.repeat(16);

/**
 * Users who send bodies that they do not finish, ask for large pages in batches and unread, and send texts that grow
 * when they are parsed. It is for a hub with little memory: what was freed between longer-lived blocks stayed with the
 * process, and filled half a gibibyte in less than a minute.
 */
export const everythingByCrowd: Attack = {
  name: 'bodies, batches and unread pages of ten users',
  prepare: async (context) => {
    const { hub } = context;
    const sends = Array.from({ length: CROWD_TASKS }, (_, task) => ({
      alias: 'full',
      task: `${CONTROL.slice(5)}${task}`,
      from_session: `m${task}`,
    }));
    const tokens = await newAccounts(context, 'crowd', CROWD, sends, SENDS_PER_BATCH);
    const page = toolCall('get_inbox', { alias: 'full', limit: 100, peek: true });
    const batch = Array<object>(CALLS).fill(page);
    const unfinished = (token: string): Buffer =>
      requestText({ path: '/mcp', token, body: `${UNFINISHED}${UNFINISHED}` }).subarray(0, -UNFINISHED.length);
    const writeAndWait = async (text: Buffer, from: string): Promise<void> => {
      const socket = dial(hub, from).pause();
      socket.write(text);
      await closed(socket);
    };
    const escapes = { ...PING, params: { s: ESCAPES } };
    const lanes: readonly Lane[] = [
      ...lanesOf(CROWD_LANES.bodies, (token, from) => writeAndWait(unfinished(token), from)),
      ...lanesOf(CROWD_LANES.batches, (token, from) => ask(hub, rpc(token, batch), { from })),
      ...lanesOf(CROWD_LANES.escapes, (token, from) => ask(hub, rpc(token, escapes), { from })),
      ...lanesOf(CROWD_LANES.pages, (token, from) => writeAndWait(ahead(rpc(token, page)), from)),
    ];
    return repeat(CROWD * lanes.length, async (lane) => {
      const user = lane % CROWD;
      await lanes[lane % lanes.length]?.(tokens[user] ?? '', `127.0.1.${2 + user}`);
      await after(RECONNECT_MS);
    });
  },
};

type Lane = (token: string, from: string) => Promise<unknown>;

function lanesOf(count: number, lane: Lane): Lane[] {
  return Array<Lane>(count).fill(lane);
}

function ahead(request: WireRequest): Buffer {
  return Buffer.concat(Array<Buffer>(BATCHES).fill(requestText(request)));
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

async function closed(socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), HELD_MS);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  clearTimeout(timer);
}
