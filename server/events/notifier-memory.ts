// The state of notifiers between two sweeps: who is subscribed to which network, how far events have been read, and
// which requests are in flight.
import { MAX_NOTIFYING, MAX_NOTIFYING_PER_USER } from '../domain/limits.ts';
import type { Subscription } from '../domain/notifiers/notifier.ts';
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import type { Exchange } from './exchange.ts';
import { openSlidingCounter, type SlidingCounter, sharedCounter } from './limits/sliding-window.ts';

type Sender = { notifier_seq: number; user_id: string };

export type NotifierMemory = {
  /** Changes with each change of notifiers or of access rights. Take it before the subscriptions are read. */
  version(accessVersion: number): string;
  /** The subscriptions of a version; undefined if they have not been read yet. */
  find(version: string): readonly Subscription[] | undefined;
  /** Returns the networks that are no longer followed. Their agents are reported again if followed later. */
  keep(version: string, subscriptions: readonly Subscription[]): number[];
  /** Call after each change of a notifier. */
  forget(): void;
  /** How far each reader of events has read; a stored position may lag behind. */
  positions: Map<string, number>;
  /** The agents that sent a message to a person or to `hub` within the last minute, with its recipient. */
  asked: Map<string, { at: Millis; alias: string }>;
  /**
   * Whether another request may start: one per notifier, and a few per user and for the hub. Receivers that hang hold
   * their slots for a long time, so users whose last request failed share a quarter of them, and half of them with
   * those who have had none yet.
   */
  maySend(sender: Sender): boolean;
  /** Whether all slots are in use. */
  isFull(): boolean;
  /** Starts a request. Call the returned function when it ends. */
  start(sender: Sender): (isFailed: boolean) => void;
  /** Since when the oldest request has been due; undefined if none is. */
  oldestDue: Millis | undefined;
  /** The user who got the last slot; the users after them come next. */
  lastServed: string;
  /** Tests of each user. */
  tests: SlidingCounter;
  /** Starts a check or test of a URL. Returns the function that ends it; undefined if too many are running. */
  startCheck(userId: string): (() => void) | undefined;
};

const REMEMBERED_USERS = 10_000;

/** Forgets the one that was added first, of too many. */
function remember(users: Set<string>, user: string): void {
  const [first] = users;
  if (first !== undefined && users.size >= REMEMBERED_USERS) users.delete(first);
  users.add(user);
}

export function openNotifierMemory(exchange: Exchange): NotifierMemory {
  let known: { version: string; subscriptions: readonly Subscription[] } | undefined;
  let changes = 0;
  const forget = (): void => void (changes += 1);
  const tellToForget = exchange.share('notifiers', forget);
  let followed: ReadonlySet<number> = new Set();
  const sending = new Map<number, string>();
  const failing = new Set<string>();
  const proven = new Set<string>(); // whose last request succeeded
  const checks: string[] = [];
  const hasSlot = (users: readonly string[], user_id: string): boolean =>
    users.length < MAX_NOTIFYING && users.filter((user) => user === user_id).length < MAX_NOTIFYING_PER_USER;
  const countSending = (which: (user: string) => boolean): number => [...sending.values()].filter(which).length;
  const isHeldBack = (user_id: string): boolean => {
    if (proven.has(user_id)) return false;
    if (countSending((user) => !proven.has(user)) >= MAX_NOTIFYING / 2) return true;
    return failing.has(user_id) && countSending((user) => failing.has(user)) >= MAX_NOTIFYING / 4;
  };
  return {
    version: (accessVersion) => `${accessVersion} ${changes}`,
    find: (version) => (known?.version === version ? known.subscriptions : undefined),
    keep: (version, subscriptions) => {
      const before = followed;
      known = { version, subscriptions };
      followed = new Set(subscriptions.map(({ network_seq }) => network_seq));
      return [...before].filter((networkSeq) => !followed.has(networkSeq));
    },
    forget: () => {
      forget();
      tellToForget();
    },
    positions: new Map(),
    asked: new Map(),
    maySend: ({ notifier_seq, user_id }) =>
      !sending.has(notifier_seq) && hasSlot([...sending.values()], user_id) && !isHeldBack(user_id),
    isFull: () => sending.size >= MAX_NOTIFYING,
    start: ({ notifier_seq, user_id }) => {
      sending.set(notifier_seq, user_id);
      return (isFailed) => {
        sending.delete(notifier_seq);
        for (const each of [failing, proven]) each.delete(user_id);
        remember(isFailed ? failing : proven, user_id);
      };
    },
    oldestDue: undefined,
    lastServed: '',
    tests: sharedCounter(exchange, 'notifier_tests', openSlidingCounter(MINUTE_MS, REMEMBERED_USERS)),
    startCheck: (userId) => {
      if (!hasSlot(checks, userId)) return undefined;
      checks.push(userId);
      return () => void checks.splice(checks.indexOf(userId), 1);
    },
  };
}
