// The state of notifiers between two sweeps: who is subscribed to which network, how far events have been read, and
// which requests are in flight.
import { MAX_NOTIFYING, MAX_NOTIFYING_PER_USER } from '../domain/limits.ts';
import type { Subscription } from '../domain/notifiers/notifier.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import { openSlidingCounter, type SlidingCounter } from './sliding-window.ts';

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
  /** Whether another request may start: one of each notifier, and a few of each user and of the hub. */
  maySend(sender: Sender): boolean;
  /** The users who have reached their limit of requests. */
  busyUsers(): string[];
  /** Returns the function that ends it. */
  start(sender: Sender): () => void;
  /** Tests of each user. */
  tests: SlidingCounter;
};

const REMEMBERED_USERS = 10_000;

export function openNotifierMemory(): NotifierMemory {
  let known: { version: string; subscriptions: readonly Subscription[] } | undefined;
  let changes = 0;
  let followed: ReadonlySet<number> = new Set();
  const sending = new Map<number, string>();
  const isBusy = (user_id: string): boolean =>
    [...sending.values()].filter((user) => user === user_id).length >= MAX_NOTIFYING_PER_USER;
  return {
    version: (accessVersion) => `${accessVersion} ${changes}`,
    find: (version) => (known?.version === version ? known.subscriptions : undefined),
    keep: (version, subscriptions) => {
      const before = followed;
      known = { version, subscriptions };
      followed = new Set(subscriptions.map(({ network_seq }) => network_seq));
      return [...before].filter((networkSeq) => !followed.has(networkSeq));
    },
    forget: () => void (changes += 1),
    positions: new Map(),
    maySend: ({ notifier_seq, user_id }) =>
      sending.size < MAX_NOTIFYING && !sending.has(notifier_seq) && !isBusy(user_id),
    busyUsers: () => [...new Set(sending.values())].filter(isBusy),
    start: ({ notifier_seq, user_id }) => {
      sending.set(notifier_seq, user_id);
      return () => void sending.delete(notifier_seq);
    },
    tests: openSlidingCounter(MINUTE_MS, REMEMBERED_USERS),
  };
}
