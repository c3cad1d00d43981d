// The hook events of clients, which name some fields and events in their own way, in our names.
import { MENTION_START } from '../hooks/mention.ts';
import { momentOf } from '../hooks/moments.ts';
import type { HookClient, HookEvent } from './client.ts';
import { HOOK_NAMES, hookClient } from './clients.ts';

const PROMPT = 'prompt';
const STATUS = 'status';

/**
 * The members that `inOurNames` reads, besides ours. The result of a tool is not among them, as it may be large:
 * `agenthub hook` alone can tell that a tool has failed.
 */
export const MEMBERS_OF_CLIENTS: readonly string[] = [
  PROMPT,
  STATUS,
  ...HOOK_NAMES.flatMap((name) => Object.keys(hookClient(name).hooks.fields ?? {})),
];

/** Some clients submit the text that extends a turn as a prompt, which is not one of the person. */
export function inOurNames({ hooks: { fields = {}, moments, eventName } }: HookClient, event: HookEvent): HookEvent {
  const name = eventName?.(event);
  const given = { ...event, ...(name !== undefined && { hook_event_name: name }) };
  const named = Object.fromEntries(Object.entries(given).map(([field, value]) => [fields[field] ?? field, value]));
  const isPrompt = momentOf(moments, textIn(named, 'hook_event_name')) === 'prompt';
  return isPrompt && textIn(named, PROMPT).startsWith(MENTION_START) ? { ...named, stop_hook_active: true } : named;
}

/** Empty for a value of another type, which is refused later. */
function textIn(event: HookEvent, name: string): string {
  const value = event[name];
  return typeof value === 'string' ? value : '';
}
