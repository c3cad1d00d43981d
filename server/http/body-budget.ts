// The memory that request bodies may take while they arrive. The beginning of a body counts only against its sender; what
// goes beyond it comes from memory shared by all, of which one sender may hold at most half as much as is free.
import { unavailable } from '../domain/errors.ts';
import { MAX_BODIES_BYTES, MEBIBYTE, UNSHARED_BODY_BYTES } from '../domain/limits.ts';

/** Whose bodies are counted together, and how many bytes they may have. */
export type Sender = { id: string; max: number };

export type Hold = {
  /** Holds so many bytes more; throws when they are not to be had. */
  take(bytes: number): void;
  release(): void;
};

export type BodyBudget = {
  hold(sender: Sender): Hold;
  /** The bytes that are held. */
  bytes(): number;
};

type Held = { all: number; shared: number };

export function openBodyBudget(max = MAX_BODIES_BYTES): BodyBudget {
  const bySender = new Map<string, Held>();
  const total: Held = { all: 0, shared: 0 };
  const heldBy = (id: string): Held => bySender.get(id) ?? { all: 0, shared: 0 };

  const count = (id: string, change: Held): void => {
    const held = sum(heldBy(id), change);
    Object.assign(total, sum(total, change));
    if (held.all === 0) bySender.delete(id);
    else bySender.set(id, held);
  };

  const assertFree = (sender: Sender, more: Held): void => {
    const held = heldBy(sender.id);
    if (held.all + more.all > sender.max) throw tooMuch(`you have ${inMebibytes(sender.max)}`);
    if (more.shared === 0) return;
    const free = max - total.shared;
    // Shares shrink as senders come, so that some memory stays free for the next one.
    if (held.shared + more.shared > free / 2) throw tooMuch(`of the ${inMebibytes(max)} of the hub, you have your share`);
  };

  const hold = (sender: Sender): Hold => {
    let held: Held = { all: 0, shared: 0 };
    return {
      take: (bytes) => {
        const wanted = { all: held.all + bytes, shared: sharedOf(held.all + bytes) };
        const more = { all: bytes, shared: wanted.shared - held.shared };
        assertFree(sender, more);
        held = wanted;
        count(sender.id, more);
      },
      release: () => {
        count(sender.id, { all: -held.all, shared: -held.shared });
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
  return `${bytes / MEBIBYTE} MiB`;
}

function tooMuch(what: string) {
  return unavailable(`${what} of request bodies under way, the most that may be; try again when some are done`);
}
