// An attack: what somebody does to a hub that others use as well. It takes any answer, refusals included, and says
// which promises to others it found broken.
import { type Account, register } from '../../../test/support/http/rest-client.ts';
import type { Draws } from '../../seed/draws.ts';
import type { Hub } from '../hub.ts';
import type { Size, Trial } from '../row.ts';
import { ask, type Reply, rpc, toolCall } from './wire.ts';

/** The hub with the attacker, who owns a network and no more, and the tenant next door. */
export type Ground = {
  hub: Hub;
  mallory: Account;
  neighbour: Account;
  draws: Draws;
  /** So many of what the long form has this many of; at least one. */
  share(count: number): number;
  atEnd(tidy: () => unknown): void;
};

/** Resolves with the complaints when it is over; an attack that goes on asks `isOver` between two strokes. */
export type Strike = (isOver: () => boolean) => Promise<readonly string[]>;

export type Attack = {
  name: string;
  /** Brings about what the attack needs; nothing is measured meanwhile. */
  prepare(ground: Ground): Promise<Strike>;
};

const SHARES: Readonly<Record<Size, number>> = { least: 0.05, quick: 0.2, long: 1 };

export async function openGround({ size, draws, atEnd }: Trial, hub: Hub): Promise<Ground> {
  const neighbour = await register(hub.url, 'ada');
  const mallory = await register(hub.url, 'mallory');
  return { hub, neighbour, mallory, draws, atEnd, share: (count) => Math.max(1, Math.round(count * SHARES[size])) };
}

/** Repeats the stroke in several lanes until it is over. */
export function repeat(lanes: number, stroke: (lane: number) => Promise<unknown>): Strike {
  return async (isOver) => {
    const lane = async (_: unknown, number: number): Promise<void> => {
      while (!isOver()) await stroke(number);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return [];
  };
}

/** Together fewer calls than one token may have open. */
const CALLS_PER_BATCH = 40;
const BATCHES_AT_ONCE = 2;

/** Tool calls in batches; throws when one is refused, since the attack would prove nothing. */
export async function callInBatches(
  { hub }: Ground,
  token: string,
  tool: string,
  all: readonly object[],
  perBatch = CALLS_PER_BATCH,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(all.length / perBatch) }, (_, number) =>
    all.slice(number * perBatch, (number + 1) * perBatch),
  );
  const lane = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const { status, text } = await ask(
        hub,
        rpc(
          token,
          batch.map((args, id) => toolCall(tool, args, id + 1)),
        ),
      );
      if (status !== 200 || text.includes('"isError":true'))
        throw new Error(`a batch of ${tool} was answered ${status} ${text.slice(-200)}`);
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, lane));
}

export function isInternalError({ status, text }: Reply): boolean {
  return status === 500 || text.includes('an internal error occurred');
}
