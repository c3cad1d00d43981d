// Runs one piece of work at a time, for a bounded number of callers who wait. Who goes next is decided by rank, and
// within a rank by how much each has had lately, so that nobody who asks again and again keeps others out. A caller who
// leaves gives up its turn before the work begins; work that has begun is left to its end.
import { RECENT_TURNS_MS } from '../domain/limits.ts';

/** In the order they go. `begun` is for the rest of what has had a turn already, which would else be lost. */
const RANKS = ['operator', 'begun', 'known', 'change', 'stranger'] as const;
export type Rank = (typeof RANKS)[number];

export type Turn = {
  /** `stranger` unless given. A user who had many turns lately ranks as a stranger. */
  rank?: Rank;
  /** The user the work is for, where they are known to be the one who asks. */
  user?: string | undefined;
  /** The address it is asked from, as `clientKey` gives it. */
  client?: string | undefined;
  /** Aborted when nobody waits for the result any more. */
  gone?: AbortSignal | undefined;
};

export type TurnLimits = {
  maxWaiting: number;
  maxWaitingPerClient: number;
  maxWaitingPerUser: number;
  /** Turns of a user in a minute that keep their rank, where it has a bound. */
  favored: Partial<Record<Rank, number>>;
};

export type TurnOptions = TurnLimits & { busy: () => Error; left: () => Error; now?: () => number };

export type Turns = {
  /** Rejects with `busy` when too many wait, and with `left` when the caller has gone. */
  take<Result>(work: () => Promise<Result>, turn: Turn): Promise<Result>;
  waiting(): number;
};

type Waiter = Turn & { begin(): void; refuse(reason: Error): void };

export function openTurns({
  maxWaiting,
  maxWaitingPerClient,
  maxWaitingPerUser,
  favored,
  busy,
  left,
  now,
}: TurnOptions): Turns {
  const waiters: Waiter[] = [];
  const recent = countRecent(now);
  let isRunning = false;

  const take = async <Result>(work: () => Promise<Result>, turn: Turn): Promise<Result> => {
    if (turn.gone?.aborted) throw left();
    if (isRunning) await comesUp(turn);
    isRunning = true;
    recent.add(turn);
    try {
      return await work();
    } finally {
      isRunning = false;
      beginNext();
    }
  };

  const comesUp = async (turn: Turn): Promise<void> => {
    makeRoom(turn);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { ...turn, begin: () => ((isRunning = true), resolve()), refuse: reject };
    const leave = (): void => refuse(waiter, left());
    waiters.push(waiter);
    turn.gone?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => turn.gone?.removeEventListener('abort', leave));
  };

  const makeRoom = (turn: Turn): void => {
    const { user, client } = turn;
    if (user !== undefined) makeRoomAmong(turn, maxWaitingPerUser, (waiter) => waiter.user === user);
    if (client !== undefined) makeRoomAmong(turn, maxWaitingPerClient, (waiter) => waiter.client === client);
    makeRoomAmong(turn, maxWaiting, () => true);
  };

  // Where there is none, the last of those makes room for one who goes before it.
  const makeRoomAmong = (turn: Turn, max: number, isOne: (waiter: Waiter) => boolean): void => {
    const among = waiters.filter(isOne);
    if (among.length < max) return;
    const last = among.reduce((one, other) => (compare(other, one) >= 0 ? other : one));
    if (compare(turn, last) >= 0) throw busy();
    refuse(last, busy());
  };

  const beginNext = (): void => {
    if (waiters.length === 0) return;
    const next = waiters.reduce((one, other) => (compare(other, one) < 0 ? other : one));
    waiters.splice(waiters.indexOf(next), 1);
    next.begin();
  };

  /** Negative when `one` goes before `other`. */
  const compare = (one: Turn, other: Turn): number => {
    const [mine, theirs] = [standingOf(one), standingOf(other)];
    const place = mine.findIndex((figure, index) => figure !== theirs[index]);
    return place < 0 ? 0 : (mine[place] ?? 0) - (theirs[place] ?? 0);
  };

  // The address last: people who share one with somebody who floods are not to wait for it.
  const standingOf = ({ rank = 'stranger', user, client }: Turn): readonly number[] => {
    const had = recent.of(user ?? client);
    const isFavored = had < (favored[rank] ?? Infinity);
    return [RANKS.indexOf(isFavored ? rank : 'stranger'), had, recent.of(client)];
  };

  const refuse = (waiter: Waiter, reason: Error): void => {
    const place = waiters.indexOf(waiter);
    if (place < 0) return;
    waiters.splice(place, 1);
    waiter.refuse(reason);
  };

  return { take, waiting: () => waiters.length };
}

type Recent = { at: number; keys: readonly string[] };

const MAX_RECENT = 1_000;

/** How many turns each user and each address had within the last minute, of the latest 1,000. */
function countRecent(now = () => performance.now()) {
  const counts = new Map<string, number>();
  let latest: Recent[] = [];

  const change = (keys: readonly string[], by: number): void => {
    for (const key of keys) {
      const count = (counts.get(key) ?? 0) + by;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    }
  };

  const forget = (): void => {
    const since = now() - RECENT_TURNS_MS;
    const first = latest.findIndex(({ at }, index) => at > since && index >= latest.length - MAX_RECENT);
    const over = latest.slice(0, first < 0 ? latest.length : first);
    if (over.length === 0) return;
    over.forEach(({ keys }) => change(keys, -1));
    latest = latest.slice(over.length);
  };

  return {
    add: ({ user, client }: Turn): void => {
      const keys = [user, client].filter((key) => key !== undefined);
      latest.push({ at: now(), keys });
      change(keys, 1);
      forget();
    },
    of: (key: string | undefined): number => {
      forget();
      return key === undefined ? 0 : (counts.get(key) ?? 0);
    },
  };
}
