// Texts that the tab keeps when a dialog closes and when the page changes or reloads: drafts, until they are sent or
// cleared, and the steps taken on the connect page.
import { effect, type Signal, signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { readStored, removeStored, writeStored } from './storage.ts';

const texts = new Map<string, Signal<string>>();

/** The text of this name in the current network. */
export function keptOf(name: string, initial = ''): Signal<string> {
  const key = `agenthub.kept.${account.value?.user.user_id}.${account.value?.network_id}.${name}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = signal(readStored('sessionStorage', key) ?? initial);
  texts.set(key, text);
  effect(() =>
    text.value === initial ? removeStored('sessionStorage', key) : writeStored('sessionStorage', key, text.value),
  );
  return text;
}

/** Parses a JSON object of texts by name. */
export function recordOf(json: string): Readonly<Record<string, string>> {
  try {
    const record: unknown = JSON.parse(json);
    const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
    return isRecord ? Object.fromEntries(Object.entries(record).map(([name, text]) => [name, String(text)])) : {};
  } catch {
    return {};
  }
}
