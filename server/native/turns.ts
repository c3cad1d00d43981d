// A priority queue that runs one task at a time, with a bounded number of waiting callers. The next caller is chosen by
// rank and, within a rank, by recent use, so that frequent callers cannot block others. A caller that disconnects
// leaves the queue; work that has started runs to its end.
import { RECENT_TURNS_MS } from '../domain/limits.ts';

/** From first to last. `begun` is for the rest of a call that already had a turn, which would otherwise be wasted. */
const RANKS = ['operator', 'begun', 'known', 'change', 'stranger'] as const;
export type Rank = (typeof RANKS)[number];

export type Turn = {
  /** Defaults to `stranger`. A user with many recent turns of this rank ranks as a stranger. */
  rank?: Rank;
  /** The user, if the caller is known to be this user. */
  user?: string | undefined;
  /** The `clientKey` of the caller's address. */
  client?: string | undefined;
  /** Aborted when the caller no longer waits for the result. */
  gone?: AbortSignal | undefined;
};

export type TurnLimits = {
  maxWaiting: number;
  maxWaitingPerClient: number;
  maxWaitingPerUser: number;
  /** The number of turns per minute in which a user keeps the rank, for ranks with such a limit. */
  favored: Partial<Record<Rank, number>>;
};

export type TurnOptions = TurnLimits & { busy: () => Error; left: () => Error; now?: () => number };

export type Turns = {
  /** Rejects with `busy` when too many callers wait, and with `left` when the caller has disconnected. */
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
    if (isRunning) await waitFor(turn);
    isRunning = true;
    recent.add(turn);
    try {
      return await work();
    } finally {
      isRunning = false;
      beginNext();
    }
  };

  const waitFor = async (turn: Turn): Promise<void> => {
    makeRoom(turn);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = (): void => {
      isRunning = true;
      resolve();
    };
    const waiter: Waiter = { ...turn, begin, refuse: reject };
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

  // When full, the last waiter is refused in favor of a caller with higher priority.
  const makeRoomAmong = (turn: Turn, max: number, isAmong: (waiter: Waiter) => boolean): void => {
    const among = waiters.filter(isAmong);
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
    const [first, second] = [priorityOf(one), priorityOf(other)];
    const at = first.findIndex((value, index) => value !== second[index]);
    return at < 0 ? 0 : (first[at] ?? 0) - (second[at] ?? 0);
  };

  // The address comes last, so that users who share it with a flooding client do not have to wait for that client.
  const priorityOf = ({ rank = 'stranger', user, client }: Turn): readonly number[] => {
    // Logins do not use up the favored password changes, since others at a known address may cause them.
    const isFavored = recent.of(ofRank(rank, user ?? client)) < (favored[rank] ?? Infinity);
    return [RANKS.indexOf(isFavored ? rank : 'stranger'), recent.of(user ?? client), recent.of(client)];
  };

  const refuse = (waiter: Waiter, reason: Error): void => {
    const index = waiters.indexOf(waiter);
    if (index < 0) return;
    waiters.splice(index, 1);
    waiter.refuse(reason);
  };

  return { take, waiting: () => waiters.length };
}

type Recent = { at: number; keys: readonly string[] };

const MAX_RECENT = 1_000;

/** The key of the turns that a caller had with this rank. */
function ofRank(rank: Rank, caller: string | undefined): string {
  return `${rank} ${caller}`;
}

/** Counts the turns of each user and address in the last minute, in total and by rank, among the latest 1,000 turns. */
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

  const removeExpired = (): void => {
    const since = now() - RECENT_TURNS_MS;
    const first = latest.findIndex(({ at }, index) => at > since && index >= latest.length - MAX_RECENT);
    const expired = latest.slice(0, first < 0 ? latest.length : first);
    if (expired.length === 0) return;
    expired.forEach(({ keys }) => change(keys, -1));
    latest = latest.slice(expired.length);
  };

  return {
    add: ({ rank = 'stranger', user, client }: Turn): void => {
      const keys = [user, client, ofRank(rank, user ?? client)].filter((key) => key !== undefined);
      latest.push({ at: now(), keys });
      change(keys, 1);
      removeExpired();
    },
    of: (key: string | undefined): number => {
      removeExpired();
      return key === undefined ? 0 : (counts.get(key) ?? 0);
    },
  };
}
