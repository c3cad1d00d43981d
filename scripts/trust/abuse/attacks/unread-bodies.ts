// Attacks with request bodies that the hub need not read: they never end, are refused, or their clients have left.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { newToken } from '../../../../server/domain/accounts/token.ts';
import { randomIds } from '../../../../server/domain/ids/ids.ts';
import { systemClock } from '../../../../server/domain/time/clock.ts';
import { openFiles, until } from '../../hub.ts';
import { type Attack, type AttackContext, type AttackRun, repeat } from '../attack.ts';
import { dial, requestText, type WireRequest } from '../wire.ts';

const MEBIBYTE = 1024 * 1024;
const BODIES = 1_000;
const HELD_MS = 3_000;

/** All but the last byte: none of these requests can complete, and all of them are held. */
function unfinished({ hub, share, atEnd }: AttackContext, request: WireRequest): AttackRun {
  return async (isOver) => {
    const text = requestText({ ...request, body: 'x'.repeat(MEBIBYTE) }).subarray(0, -1);
    const sockets: Socket[] = [];
    atEnd(() => sockets.forEach((socket) => socket.destroy()));
    for (let count = 0; count < share(BODIES) && !isOver(); count++) {
      const socket = dial(hub);
      sockets.push(socket);
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.write(text, () => resolve());
        setTimeout(resolve, 100);
      });
    }
    const until = performance.now() + share(HELD_MS);
    while (!isOver() && performance.now() < until) await after(50);
    sockets.forEach((socket) => socket.destroy());
    return [];
  };
}

export const unauthenticatedBodies: Attack = {
  name: 'unfinished bodies without a token',
  prepare: async (context) => unfinished(context, { path: '/api/tasks' }),
};

export const memberBodies: Attack = {
  name: 'unfinished bodies of a member',
  prepare: async (context) => unfinished(context, { path: '/mcp', token: context.mallory.networkToken }),
};

const PIPELINING = 300;
const PIPELINED = 15;
/** Two of them do not fit into one read. */
const PIPELINED_BYTES = 62_000;

/** Writes as much as the hub reads, on many connections, and dials again when one is closed. */
function pipelining({ hub }: AttackContext, request: WireRequest, connections: number): AttackRun {
  const bytes = requestText({ ...request, body: 'x'.repeat(PIPELINED_BYTES) });
  const text = Buffer.concat(Array<Buffer>(PIPELINED).fill(bytes));
  return (isOver) =>
    repeat(connections, async () => {
      const socket = dial(hub).resume();
      const write = (): unknown => (isOver() ? socket.destroy() : socket.write(text, () => setImmediate(write)));
      write();
      const timer = setTimeout(() => socket.destroy(), HELD_MS);
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
      clearTimeout(timer);
    })(isOver);
}

export const pipelinedBodies: Attack = {
  name: 'pipelined bodies to an unknown path',
  prepare: async (context) => pipelining(context, { path: '/nowhere' }, context.share(PIPELINING)),
};

export const pipelinedUnauthorized: Attack = {
  name: 'pipelined bodies with an unknown token',
  prepare: async (context) => pipelining(context, { path: '/mcp', token: unknownToken() }, context.share(PIPELINING)),
};

const CROWD = 2_000;
/** The memory of closed connections that were still waiting filled half a gibibyte in six to twenty seconds. */
const CROWDED_MS = 20_000;

/** It is for a hub with little memory: nobody new would be served in time by any hub. */
export const pipelinedByCrowd: Attack = {
  name: 'pipelined bodies on 2,000 connections',
  prepare: async (context) => {
    const { share } = context;
    const connections = Math.min(CROWD, share(5 * CROWD));
    const run = pipelining(context, { path: '/mcp', token: unknownToken() }, connections);
    return () => {
      const end = performance.now() + Math.min(CROWDED_MS, share(5 * CROWDED_MS));
      return run(() => performance.now() > end);
    };
  },
};

const LEAVING = 20;
/** Not longer than a body may be, and refused after the first part. */
const REFUSED = '['.repeat(1_000_000);
/** Of clients that have left, after a second. */
const MAX_LEFT = 16;

/** Each client leaves with the first byte of the refusal, which comes before most of the body was read. */
export const refusedBodies: Attack = {
  name: 'refused bodies whose clients leave',
  prepare: async (context) => {
    const { hub } = context;
    const [before, tokens] = [openFiles(hub.pid), [context.mallory.networkToken, unknownToken()]];
    const requests = tokens.map((token) => requestText({ path: '/mcp', token, body: REFUSED }));
    const leaving = repeat(LEAVING, async (lane) => {
      const socket = dial(hub);
      socket.once('data', () => socket.destroy());
      socket.write(requests[lane % requests.length] ?? '');
      await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    });
    return async (isOver) => {
      await leaving(isOver);
      await until(() => openFiles(hub.pid) <= before + MAX_LEFT, 1_000).catch(() => {});
      const left = openFiles(hub.pid) - before;
      return left <= MAX_LEFT ? [] : [`${left} connections of clients that have left are still open`];
    };
  },
};

function unknownToken(): string {
  return newToken('network', randomIds(systemClock));
}
