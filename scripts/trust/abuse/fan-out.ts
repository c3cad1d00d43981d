// An attack by fan-out: every stream of a network gets an event for every task in it.
import type { Socket } from 'node:net';
import { type Attack, repeat } from './attack.ts';
import { openStreams, PLACES } from './connections-and-permissions.ts';
import { tokensOf } from './heavy-responses.ts';
import { ask } from './wire.ts';

/** The maximum for one user. */
const STREAMS = 2_000;
const SENDING_LANES = 4;
const TEXT = 'x'.repeat(10_000);

export const manyStreams: Attack = {
  name: 'sends with thousands of streams as recipients',
  prepare: async (ground) => {
    const { hub, mallory, share, atEnd } = ground;
    const sockets: Socket[] = [];
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    for (const token of await tokensOf(ground, Math.ceil(share(STREAMS) / PLACES))) {
      const statuses = await openStreams(ground, token, sockets);
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
