// Remembers what the person has dismissed, for each user and network: failures up to a moment, and single needs.
import { signal } from '@preact/signals';
import type { MessageRecord } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { readStored, writeStored } from '../live/storage.ts';
import { isAnswerKey } from './agent-needs.ts';

export type Visit = {
  /** A timestamp. */
  seenAt: string;
  /** Keys of dismissed items and answered agents, oldest first. */
  dismissed: readonly string[];
  /** When the answered agents among them were answered, in milliseconds. */
  answeredAt: Readonly<Record<string, number>>;
};

/** The last message of each alias that asks something, read or not. */
export const questions = signal<ReadonlyMap<string, MessageRecord>>(new Map());
/** The messages that the person has answered. */
export const answeredMail = new Set<string>();
/** The tasks that this page has sent again: reports of their failures are read, also those that arrive later. */
export const sentAgain = new Set<string>();

/** A group of failures has a key for each task. */
const MAX_DISMISSED = 2_000;
/** On the first visit, older failures are left out. */
export const FIRST_VISIT_MS = 86_400_000;

export const visit = signal<Visit>({ seenAt: '', dismissed: [], answeredAt: {} });

let key = '';

/** Follows what this user dismisses in this network, in any tab, until the returned function is called. */
export function followVisit(user_id: string, network_id: string, firstSeenAt: string): () => void {
  key = `agenthub.needs.${user_id}.${network_id}`;
  const read = () =>
    (visit.value = parsedVisit(readStored('localStorage', key)) ?? {
      seenAt: firstSeenAt,
      dismissed: [],
      answeredAt: {},
    });
  const follow = (event: StorageEvent) => {
    if (event.key === key) read();
  };
  read();
  if (visit.value.seenAt === firstSeenAt) store(visit.value);
  addEventListener('storage', follow);
  return () => removeEventListener('storage', follow);
}

/** Agents among them are answered at this time. */
export function dismissKeys(keys: readonly string[], now = hubTime()): void {
  const kept = visit.value.dismissed.filter((key) => !keys.includes(key));
  const dismissed = [...kept, ...keys].slice(-MAX_DISMISSED);
  const times = { ...visit.value.answeredAt, ...Object.fromEntries(keys.filter(isAnswerKey).map((key) => [key, now])) };
  const known = new Set(dismissed);
  const answeredAt = Object.fromEntries(Object.entries(times).filter(([key]) => known.has(key)));
  store({ ...visit.value, dismissed, answeredAt });
}

/** Drops the keys of needs that have ended, so that they count if they occur again. */
export function restoreKeys(isOver: (key: string) => boolean): void {
  const dismissed = visit.value.dismissed.filter((each) => !isOver(each));
  if (dismissed.length < visit.value.dismissed.length) store({ ...visit.value, dismissed });
}

/** Dismisses the failures up to this timestamp. */
export function dismissUntil(seenAt: string): void {
  if (seenAt > visit.value.seenAt) store({ ...visit.value, seenAt });
}

function store(changed: Visit): void {
  visit.value = changed;
  writeStored('localStorage', key, JSON.stringify(changed));
}

export function parsedVisit(text: string | null): Visit | undefined {
  try {
    const { seenAt, dismissed, answeredAt } = JSON.parse(text ?? '');
    if (typeof seenAt !== 'string' || !Array.isArray(dismissed)) return undefined;
    const times = Object.entries(answeredAt ?? {}).filter((each): each is [string, number] => Number.isFinite(each[1]));
    return {
      seenAt,
      dismissed: dismissed.filter((each) => typeof each === 'string'),
      answeredAt: Object.fromEntries(times),
    };
  } catch {
    return undefined;
  }
}
