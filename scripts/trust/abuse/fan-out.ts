// An attack by fan-out: every stream of a network gets an event for every task in it.
import type { Socket } from 'node:net';
import { type Attack, repeat } from './attack.ts';
import { openStreams, STREAMS_PER_TOKEN } from './connections-and-permissions.ts';
import { tokensOf } from './heavy-responses.ts';
import { ask } from './wire.ts';

/** The maximum for one user. */
const STREAMS = 2_000;
const SENDING_LANES = 4;
const TEXT = 'x'.repeat(10_000);

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
