// Remembers what the person has dismissed, for each user and network: failures up to a moment, and single needs.
import { signal } from '@preact/signals';
import { readStored, writeStored } from '../live/storage.ts';

export type Visit = {
  /** A timestamp. */
  seenAt: string;
  /** Keys of dismissed items and answered agents, oldest first. */
  dismissed: readonly string[];
};

/** The messages that the person has answered. */
export const answeredMail = new Set<string>();
/** The tasks that this page has sent again: reports of their failures are read, also those that arrive later. */
export const sentAgain = new Set<string>();

/** A group of failures has a key for each task. */
const MAX_DISMISSED = 2_000;
/** On the first visit, older failures are left out. */
export const FIRST_VISIT_MS = 86_400_000;

export const visit = signal<Visit>({ seenAt: '', dismissed: [] });

let key = '';

/** Follows what this user dismisses in this network, in any tab, until the returned function is called. */
export function followVisit(user_id: string, network_id: string, firstSeenAt: string): () => void {
  key = `agenthub.needs.${user_id}.${network_id}`;
  const read = () =>
    (visit.value = parsedVisit(readStored('localStorage', key)) ?? { seenAt: firstSeenAt, dismissed: [] });
  const follow = (event: StorageEvent) => {
    if (event.key === key) read();
  };
  read();
  if (visit.value.seenAt === firstSeenAt) store(visit.value);
  addEventListener('storage', follow);
  return () => removeEventListener('storage', follow);
}

export function dismissKeys(keys: readonly string[]): void {
  const kept = visit.value.dismissed.filter((key) => !keys.includes(key));
  store({ ...visit.value, dismissed: [...kept, ...keys].slice(-MAX_DISMISSED) });
}

/** Drops the keys of needs that have ended, so that they count if they occur again. */
export function restoreKeys(isOver: (key: string) => boolean): void {
  const dismissed = visit.value.dismissed.filter((each) => !isOver(each));
  if (dismissed.length < visit.value.dismissed.length) store({ ...visit.value, dismissed });
}

/** Dismisses the failures up to this timestamp. */
export function dismissUntil(seenAt: string): void {
  store({ ...visit.value, seenAt });
}

function store(changed: Visit): void {
  visit.value = changed;
  writeStored('localStorage', key, JSON.stringify(changed));
}

export function parsedVisit(text: string | null): Visit | undefined {
  try {
    const { seenAt, dismissed } = JSON.parse(text ?? '');
    const isWhole = typeof seenAt === 'string' && Array.isArray(dismissed);
    return isWhole ? { seenAt, dismissed: dismissed.filter((each) => typeof each === 'string') } : undefined;
  } catch {
    return undefined;
  }
}
