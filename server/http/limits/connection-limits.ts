// Limits how many responses stay open: per token, per user, and in total. The metrics use the same count. At the total
// limit, a connection of the user with the most is closed for a user with fewer, so a few users cannot block the rest.
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import { tooManyOpen, tooManyOpenOfUser, unavailable } from '../../domain/errors.ts';
import type { QuotaName } from '../../domain/quotas.ts';

export type Holder = Pick<Caller, 'token_id' | 'user_id'>;

export type ConnectionLimits = {
  /**
   * Holds `number` slots until the response closes or the returned function is called, whichever comes first; throws
   * when fewer are free. A response that is already closed holds none, because it does not emit `close` again. `end`
   * ends the response when its slots go to another user.
   */
  take(response: ServerResponse, holder: Holder, end: () => void, number?: number): () => void;
  /**
   * Holds the slots until the returned function is called, even if the response closes: the work for it may go on. A
   * client that reconnects again and again would otherwise start work faster than it ends.
   */
  takeForWork(response: ServerResponse, holder: Holder, end: () => void, number?: number): () => void;
  /** The number of slots held. */
  count(): number;
};

/** `perUser.max` comes from the quota `key`; 0 means no limit. */
export type ConnectionMaxima = { all: number; perToken: number; perUser: { max: number; key: QuotaName } };

/** Shares of all connections for event streams and for waits. An eighth remains for other requests. */
export const STREAMS_SHARE = 5 / 8;
export const WAITS_SHARE = 1 / 4;
const SHARE_OF_USER = 1 / 4;

/** Lowers the limits on a hub with few connections, so that connections remain for other requests and users. */
export function within(
  connections: number,
  share: number,
  { all, perToken, perUser: { max, key } }: ConnectionMaxima,
): ConnectionMaxima {
  const ofUser = Math.max(1, Math.floor(connections * SHARE_OF_USER));
  return {
    all: Math.min(all, Math.max(1, Math.floor(connections * share))),
    perToken,
    perUser: { max: max === 0 ? 0 : Math.min(max, ofUser), key },
  };
}

type Open = { end: () => void; release: () => void };

/** `what` is the plural noun for error messages. */
export function openConnectionLimits(what: string, { all, perToken, perUser }: ConnectionMaxima): ConnectionLimits {
  const ofTokens = openCounts();
  const ofUsers = openCounts();
  const openOf = new Map<string, Set<Open>>();
  let taken = 0;
  const makeRoomFor = (user_id: string, number: number): void => {
    while (taken + number > all) {
      const most = ofUsers.most();
      const newest =
        most !== undefined && most.count > ofUsers.of(user_id) + number ? lastOf(openOf.get(most.key)) : undefined;
      if (newest === undefined) return;
      newest.release();
      newest.end();
    }
  };
  const assertFree = ({ token_id, user_id }: Holder, number: number): void => {
    if (ofTokens.of(token_id) + number > perToken) throw tooManyOpen(what, perToken, number);
    if (perUser.max > 0 && ofUsers.of(user_id) + number > perUser.max)
      throw tooManyOpenOfUser(what, perUser.max, perUser.key);
    makeRoomFor(user_id, number);
    if (taken + number > all) throw unavailable(`the hub has reached its limit of ${all} ${what}; try again later`);
  };
  const count = ({ token_id, user_id }: Holder, change: number): void => {
    taken += change;
    ofTokens.add(token_id, change);
    ofUsers.add(user_id, change);
  };
  const hold = (response: ServerResponse, { token_id, user_id }: Holder, end: () => void, number: number) => {
    const holder = { token_id, user_id };
    assertFree(holder, number);
    if (isClosed(response)) return undefined;
    count(holder, number);
    const release = once(() => {
      count(holder, -number);
      remove(openOf, user_id, open);
    });
    const open = { end, release };
    openOf.getOrInsertComputed(user_id, () => new Set()).add(open);
    return release;
  };
  return {
    take: (response, holder, end, number = 1) => {
      const release = hold(response, holder, end, number);
      if (release !== undefined) response.once('close', release);
      return release ?? NOTHING;
    },
    takeForWork: (response, holder, end, number = 1) => hold(response, holder, end, number) ?? NOTHING,
    count: () => taken,
  };
}

const NOTHING = (): void => {};

function lastOf<Item>(items: ReadonlySet<Item> | undefined): Item | undefined {
  return items === undefined ? undefined : [...items].at(-1);
}

function remove<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): void {
  const set = sets.get(key);
  set?.delete(item);
  if (set?.size === 0) sets.delete(key);
}

/** Counts by key; a key with a count of zero is removed. */
export function openCounts() {
  const counts = new Map<string, number>();
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    /** The key with the highest count; undefined when there are none. */
    most: (): { key: string; count: number } | undefined => {
      let most: { key: string; count: number } | undefined;
      for (const [key, count] of counts) if (most === undefined || count > most.count) most = { key, count };
      return most;
    },
    add: (key: string, change: number): void => {
      const left = (counts.get(key) ?? 0) + change;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    },
  };
}

/** Whether the client is gone: `close` has been emitted, or the socket is already destroyed and it never will be. */
export function isClosed(response: ServerResponse): boolean {
  return response.destroyed || response.closed || response.req.socket.destroyed;
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
