// Limits the memory of request bodies while they arrive. The first 64 KiB of each body count against separate limits
// for authenticated and anonymous senders, so that small bodies are accepted while large ones use up the rest. A
// sender may hold an eighth of the free memory for first parts, and a third of the free memory for the rest.
import { unavailable } from '../../domain/errors.ts';
import {
  GUARANTEED_BODIES_BYTES,
  MAX_ANONYMOUS_BODIES_BYTES,
  MAX_BODIES_BYTES,
  MAX_SMALL_BODIES_BYTES,
  MEBIBYTE,
  UNSHARED_BODY_BYTES,
} from '../../domain/limits.ts';

/** Groups the bodies that are counted together; `max` is their limit in bytes. */
export type Sender = { id: string; max: number; kind: 'authenticated' | 'anonymous' };

export type Hold = {
  /** Holds this many more bytes; throws when they are not available. */
  take(bytes: number): void;
  release(): void;
};

export type BodyBudget = {
  hold(sender: Sender): Hold;
  /** The number of bytes held. */
  bytes(): number;
};

type Held = { all: number; shared: number };

export function openBodyBudget(memoryShare = 1): BodyBudget {
  const max = MAX_BODIES_BYTES * memoryShare;
  const maxBeginnings = {
    authenticated: MAX_SMALL_BODIES_BYTES * memoryShare,
    anonymous: MAX_ANONYMOUS_BODIES_BYTES * memoryShare,
  };
  const bySender = new Map<string, Held>();
  const total: Held = { all: 0, shared: 0 };
  const beginnings = { authenticated: 0, anonymous: 0 };
  const heldBy = (id: string): Held => bySender.get(id) ?? { all: 0, shared: 0 };

  const count = ({ id, kind }: Sender, change: Held): void => {
    const held = sum(heldBy(id), change);
    Object.assign(total, sum(total, change));
    beginnings[kind] += change.all - change.shared;
    if (held.all === 0) bySender.delete(id);
    else bySender.set(id, held);
  };

  const assertFree = (sender: Sender, more: Held): void => {
    const held = heldBy(sender.id);
    if (held.all + more.all > sender.max) throw tooMuch(`your limit of ${inMebibytes(sender.max)}`);
    assertBeginningsFree(sender, held.all - held.shared, more.all - more.shared);
    if (more.shared === 0) return;
    const free = max - total.shared;
    // Shares shrink as senders arrive, so that some memory stays free for the next one.
    if (held.shared + more.shared > free / 2) throw tooMuch(`your share of the hub's ${inMebibytes(max)}`);
  };

  const assertBeginningsFree = ({ kind }: Sender, held: number, more: number): void => {
    if (more === 0) return;
    const free = maxBeginnings[kind] - beginnings[kind];
    // After 26 senders that each take their maximum, the next one gets GUARANTEED_BODIES_BYTES.
    const share = Math.max(GUARANTEED_BODIES_BYTES, (free + held) / 8);
    if (more > free || held + more > share)
      throw tooMuch(`your share of the hub's ${inMebibytes(maxBeginnings[kind])} for small bodies`);
  };

  const hold = (sender: Sender): Hold => {
    let held: Held = { all: 0, shared: 0 };
    return {
      take: (bytes) => {
        const wanted = { all: held.all + bytes, shared: sharedOf(held.all + bytes) };
        const more = { all: bytes, shared: wanted.shared - held.shared };
        assertFree(sender, more);
        held = wanted;
        count(sender, more);
      },
      release: () => {
        count(sender, { all: -held.all, shared: -held.shared });
        held = { all: 0, shared: 0 };
      },
    };
  };
  return { hold, bytes: () => total.all };
}

function sharedOf(bytes: number): number {
  return Math.max(0, bytes - UNSHARED_BODY_BYTES);
}

function sum(one: Held, other: Held): Held {
  return { all: one.all + other.all, shared: one.shared + other.shared };
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBIBYTE)} MiB`;
}

function tooMuch(limit: string) {
  return unavailable(`request bodies in progress exceed ${limit}; try again when some are complete`);
}
