// Texts that somebody has begun to write. The tab keeps them through closed dialogs, other pages and reloads, until they
// are sent or cleared.
import { effect, type Signal, signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { readStored, removeStored, writeStored } from './storage.ts';

const drafts = new Map<string, Signal<string>>();

/** The draft of this name in the current network. */
export function draftOf(name: string, initial = ''): Signal<string> {
  const key = `agenthub.draft.${account.value?.user.user_id}.${account.value?.network_id}.${name}`;
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const draft = signal(readStored('sessionStorage', key) ?? initial);
  drafts.set(key, draft);
  effect(() =>
    draft.value === initial ? removeStored('sessionStorage', key) : writeStored('sessionStorage', key, draft.value),
  );
  return draft;
}

/** A draft that holds texts by name. */
export function recordOf(draft: string): Readonly<Record<string, string>> {
  try {
    const record: unknown = JSON.parse(draft);
    const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
    return isRecord ? Object.fromEntries(Object.entries(record).map(([name, text]) => [name, String(text)])) : {};
  } catch {
    return {};
  }
}
