// Begins what new connections need only when no more arrive, or after a while, and for a few of them per turn of the
// event loop: in turn the one that waits longest, and one of the next holder in rotation. Node accepts one connection
// per turn, so of thousands of clients that connect at once, each would wait for the requests of all before it.
import type { Socket } from 'node:net';
import { yieldToConnections } from '../../domain/time/turn-share.ts';
import { openRotation } from './rotation.ts';

export type Burst = {
  /** Whether this new connection is one of a burst. If so, `begin` is called for it later, unless it closes. */
  isOne(socket: Socket): boolean;
  /** `turnMs` is the length of the last turn that began some. */
  adapt(turnMs: number): void;
};

type Options = {
  begin: (socket: Socket) => void;
  holderOf: (socket: Socket) => string;
  maxPerTurn: number;
  /** Called in each turn that has begun some. */
  onBegun?: () => void;
};

const LEAST_PER_TURN = 2;

export function openBurst({ begin, holderOf, maxPerTurn, onBegun = () => {} }: Options): Burst {
  const held = openRotation(holderOf);
  const begun = openAdaptive({ least: LEAST_PER_TURN, most: maxPerTurn });
  let isBeginning = false;
  let isOldestNext = false;
  let turnsLeft = 0; // in which another arrival is one of a burst
  const countTurn = (): void => {
    turnsLeft -= 1;
    if (turnsLeft > 0) setImmediate(countTurn);
  };
  // In rotation alone, a holder with several of them waits longer than in the order of arrival if there are many
  // holders.
  const takeNext = (): Socket | undefined => {
    isOldestNext = !isOldestNext;
    return isOldestNext ? held.takeOldest() : held.take();
  };
  const beginSome = (): void => {
    for (let left = begun.number(); left > 0; left -= 1) {
      const socket = takeNext();
      if (socket !== undefined) begin(socket);
    }
    onBegun();
    isBeginning = held.size() > 0;
    if (isBeginning) yieldToConnections(beginSome);
  };
  const isOne = (socket: Socket): boolean => {
    const isInBurst = turnsLeft > 0;
    if (!isInBurst) setImmediate(countTurn);
    turnsLeft = 2;
    if (!isInBurst) return false;
    held.add(socket);
    socket.once('close', () => held.remove(socket));
    if (!isBeginning) setImmediate(yieldToConnections, beginSome); // the next one arrives in the next turn
    isBeginning = true;
    return true;
  };
  return { isOne, adapt: begun.adapt };
}

/** After a shorter turn, twice as many, and after a longer one, the fewest. */
const SHORT_TURN_MS = 5;
const LONG_TURN_MS = 10;

/** A number per turn of the event loop that follows the length of the turns. */
export function openAdaptive({ least, most }: { least: number; most: number }) {
  let number = least;
  return {
    number: () => number,
    adapt: (turnMs: number): void => {
      if (turnMs > LONG_TURN_MS) number = least;
      else if (turnMs < SHORT_TURN_MS) number = Math.min(2 * number, most);
    },
  };
}
