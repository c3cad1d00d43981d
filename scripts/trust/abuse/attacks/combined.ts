// Attacks of different kinds at the same time, from many addresses: each alone is bounded, and they must not add up.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { type Attack, CONTROL, callInBatches, repeat } from '../attack.ts';
import { dial, requestText, rpc, toolCall } from '../wire.ts';

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

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

async function closed(socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), HELD_MS);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  clearTimeout(timer);
}
