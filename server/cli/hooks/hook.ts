// hook: passes a hook event of a coding agent to the hub, and prints the response in the form of that client. A hub
// that is down must not disturb the agent, so nothing is printed then.
import {
  HOOK_CLIENTS,
  type HookClient,
  type HookClientName,
  type HookResponse,
  momentOf,
} from '../../domain/hooks/hook-clients.ts';
import { MENTION_START } from '../../domain/hooks/mention.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { hubOf } from '../client/agent-tokens.ts';
import { access } from '../client/credentials.ts';
import { isTransient } from '../client/hub-client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { note, sayExact } from '../output.ts';
import { type EventInput, readEvent, textIn } from './event-input.ts';
import { pluginGreeting } from './plugin-greeting.ts';
import { waiterGreeting } from './waiter-greeting.ts';

export type HookOptions = { alias: string; url?: string };

/** Longer than a hub takes, and shorter than clients wait. */
const ANSWER_MS = 3 * SECOND_MS;

export async function hook(client: HookClientName, { alias, url }: HookOptions): Promise<void> {
  const event = asSent(HOOK_CLIENTS[client], await readEvent(`agenthub hook ${client}`));
  const greeting = waiterGreeting(client, { alias, url: url ?? access().url }, event);
  const response = isEmpty(greeting)
    ? { ...pluginGreeting(alias, event), ...(await responseTo(client, alias, url, event)) }
    : greeting; // must not come late, and the hub has nothing to add
  if (!isEmpty(response)) sayExact(JSON.stringify(response));
}

function isEmpty(response: HookResponse): boolean {
  return Object.keys(response).length === 0;
}

/** In our names. Some clients submit the text that extends a turn as a prompt, which is not one of the person. */
function asSent(client: HookClient, event: EventInput): EventInput {
  const { fields = {} } = client;
  const named = Object.fromEntries(Object.entries(event).map(([name, value]) => [fields[name] ?? name, value]));
  const isPrompt = momentOf(client, String(named['hook_event_name'])) === 'prompt';
  return isPrompt && textIn(named, 'prompt')?.startsWith(MENTION_START) ? { ...named, stop_hook_active: true } : named;
}

async function responseTo(
  client: HookClientName,
  alias: string,
  url: string | undefined,
  event: EventInput,
): Promise<HookResponse> {
  try {
    const path = `/hooks/${client}?${new URLSearchParams({ alias })}`;
    return await hubOf({ alias, url }).post(path, event, { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    if (isTransient(error)) return {};
    if (error instanceof CommandError && error.exitCode === EXIT.denied) return refusal(client, event, error);
    throw error;
  }
}

/** With each prompt, the person, who can replace the token, and the model are told why; not every client shows both. */
function refusal(client: HookClientName, event: EventInput, { message }: CommandError): HookResponse {
  note(message);
  const { forms, ...known }: HookClient = HOOK_CLIENTS[client];
  const name = String(event['hook_event_name']);
  if (momentOf({ forms, ...known }, name) !== 'prompt') return {};
  const text = `agenthub: ${message}`;
  return { ...forms.prompt?.(text, name), systemMessage: text };
}
