// Connection limits for responses that stay open: for each token, each user, and in all. The count that refuses is the
// count that the metrics show. When all are taken, the user who holds most makes room for one who holds fewer, so a few
// users cannot keep everybody else out.
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import { tooManyOpen, tooManyOpenOfUser, unavailable } from '../../domain/errors.ts';
import type { QuotaName } from '../../domain/quotas.ts';

export type Holder = Pick<Caller, 'token_id' | 'user_id'>;

export type ConnectionLimits = {
  /**
   * Holds `number` places until the response closes or the returned function is called, whichever comes first; throws
   * when fewer are free. A response that has closed already holds none, since it never closes again. `end` ends the
   * response when its places are given to another user.
   */
  take(response: ServerResponse, holder: Holder, end: () => void, number?: number): () => void;
  /** How many are held. */
  count(): number;
};

/** A user has as many as the quota says; 0 means no limit. */
export type ConnectionMaxima = { all: number; perToken: number; perUser: { max: number; key: QuotaName } };

/** Of the connections, for all event streams and for all waits. Together they leave an eighth for other requests. */
export const STREAMS_SHARE = 5 / 8;
export const WAITS_SHARE = 1 / 4;
const SHARE_OF_USER = 1 / 4;

/**
 * Lowers the limits on a hub with few connections, so that open streams and waits leave some for other requests and
 * users.
 */
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

/** `what` is held open, in the plural. */
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
    if (taken + number > all) throw unavailable(`the hub has its ${all} ${what} open; try again later`);
  };
  const count = ({ token_id, user_id }: Holder, change: number): void => {
    taken += change;
    ofTokens.add(token_id, change);
    ofUsers.add(user_id, change);
  };
  return {
    take: (response, { token_id, user_id }, end, number = 1) => {
      const holder = { token_id, user_id };
      assertFree(holder, number);
      if (isOver(response)) return () => {};
      count(holder, number);
      const release = once(() => {
        response.off('close', release);
        count(holder, -number);
        remove(openOf, user_id, open);
      });
      const open = { end, release };
      openOf.getOrInsertComputed(user_id, () => new Set()).add(open);
      response.once('close', release);
      return release;
    },
    count: () => taken,
  };
}

function lastOf<Item>(items: ReadonlySet<Item> | undefined): Item | undefined {
  return items === undefined ? undefined : [...items].at(-1);
}

function remove<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): void {
  const set = sets.get(key);
  set?.delete(item);
  if (set?.size === 0) sets.delete(key);
}

/** Counts by key; a key at zero takes no memory. */
export function openCounts() {
  const counts = new Map<string, number>();
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    /** The key with the highest count; undefined while there is none. */
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

/** Whether nobody is there to be answered: `close` has been emitted, or no one is left to emit it. */
export function isOver(response: ServerResponse): boolean {
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
