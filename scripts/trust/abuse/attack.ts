// An attack on a hub that others use as well. It accepts any response, including rejections, and reports the broken
// promises to others.
import { type Account, register } from '../../../test/support/http/rest-client.ts';
import type { Draws } from '../../support/random.ts';
import type { Hub } from '../hub.ts';
import type { Size, Trial } from '../row.ts';
import { ask, type Reply, rpc, toolCall } from './wire.ts';

/** The hub, the attacker, who owns one network, and the other tenant. */
export type AttackContext = {
  hub: Hub;
  mallory: Account;
  neighbor: Account;
  draws: Draws;
  /** Scales a number of the long form down, to at least one. */
  share(count: number): number;
  atEnd(cleanup: () => unknown): void;
};

/** Resolves with the complaints at the end. A continuous attack checks `isOver` between two steps. */
export type AttackRun = (isOver: () => boolean) => Promise<readonly string[]>;

export type Attack = {
  name: string;
  /** Prepares the attack. Nothing is measured meanwhile. */
  prepare(context: AttackContext): Promise<AttackRun>;
};

const SHARES: Readonly<Record<Size, number>> = { least: 0.05, quick: 0.2, long: 1 };

export async function openAttackContext({ size, draws, atEnd }: Trial, hub: Hub): Promise<AttackContext> {
  const neighbor = await register(hub.url, 'ada');
  const mallory = await register(hub.url, 'mallory');
  return { hub, neighbor, mallory, draws, atEnd, share: (count) => Math.max(1, Math.round(count * SHARES[size])) };
}

/** The longest text in JSON, with six bytes for each character. */
export const CONTROL = '\u0001'.repeat(10_000);

/** Repeats the step in several lanes until the attack ends. */
export function repeat(lanes: number, step: (lane: number) => Promise<unknown>): AttackRun {
  return async (isOver) => {
    const lane = async (_: unknown, number: number): Promise<void> => {
      while (!isOver()) await step(number);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return [];
  };
}

/** Together fewer calls than one token can have open. */
const CALLS_PER_BATCH = 40;
const BATCHES_AT_ONCE = 2;

/** Batched tool calls. Throws when one is rejected, because the attack would prove nothing. */
export async function callInBatches(
  { hub }: AttackContext,
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
        throw new Error(`a batch of ${tool} returned ${status} ${text.slice(-200)}`);
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, lane));
}

export function isInternalError({ status, text }: Reply): boolean {
  return status === 500 || text.includes('an internal error occurred');
}
