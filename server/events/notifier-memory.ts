// What is known of notifiers between two sweeps: who is subscribed to which network, how far events have been read, and
// which requests are on their way.
import { MAX_NOTIFYING, MAX_NOTIFYING_PER_USER } from '../domain/limits.ts';
import type { Subscription } from '../domain/notifiers/notifier.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import { openSlidingCounter, type SlidingCounter } from './sliding-window.ts';

type Sender = { notifier_seq: number; user_id: string };

export type NotifierMemory = {
  /** The subscriptions as of an access version; undefined if they have changed since. */
  find(accessVersion: number): readonly Subscription[] | undefined;
  keep(accessVersion: number, subscriptions: readonly Subscription[]): void;
  /** Call after each change of a notifier. */
  forget(): void;
  /** How far each reader of events has read; a stored position may lag behind. */
  positions: Map<string, number>;
  /** Whether another request may start: one of each notifier, and a few of each user and of the hub. */
  maySend(sender: Sender): boolean;
  /** Returns the function that ends it. */
  start(sender: Sender): () => void;
  /** Tests of each user. */
  tests: SlidingCounter;
};

const REMEMBERED_USERS = 10_000;

export function openNotifierMemory(): NotifierMemory {
  let known: { accessVersion: number; subscriptions: readonly Subscription[] } | undefined;
  const sending = new Map<number, string>();
  return {
    find: (accessVersion) => (known?.accessVersion === accessVersion ? known.subscriptions : undefined),
    keep: (accessVersion, subscriptions) => void (known = { accessVersion, subscriptions }),
    forget: () => void (known = undefined),
    positions: new Map(),
    maySend: ({ notifier_seq, user_id }) =>
      sending.size < MAX_NOTIFYING &&
      !sending.has(notifier_seq) &&
      [...sending.values()].filter((user) => user === user_id).length < MAX_NOTIFYING_PER_USER,
    start: ({ notifier_seq, user_id }) => {
      sending.set(notifier_seq, user_id);
      return () => void sending.delete(notifier_seq);
    },
    tests: openSlidingCounter(MINUTE_MS, REMEMBERED_USERS),
  };
}
