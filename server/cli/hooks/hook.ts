// hook: passes a hook event of a coding agent to the hub, and prints the response in the form of that client. A hub
// that is down must not disturb the agent, so nothing is printed then.
import {
  HOOK_CLIENTS,
  type HookClient,
  type HookClientName,
  type HookResponse,
  momentOf,
} from '../../domain/hooks/hook-clients.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { hubOf } from '../client/access/agent-tokens.ts';
import { isTransient } from '../client/hub-client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { note, sayExact } from '../output.ts';
import { type EventInput, readEvent } from './event-input.ts';
import { pluginGreeting } from './plugin-greeting.ts';

export type HookOptions = { alias: string; url?: string };

/** Longer than a hub takes, and shorter than clients wait. */
const ANSWER_MS = 3 * SECOND_MS;

export async function hook(client: HookClientName, { alias, url }: HookOptions): Promise<void> {
  const event = inOurNames(HOOK_CLIENTS[client], await readEvent(`agenthub hook ${client}`));
  const response = { ...pluginGreeting(alias, event), ...(await responseTo(client, alias, url, event)) };
  if (Object.keys(response).length > 0) sayExact(JSON.stringify(response));
}

function inOurNames({ fields = {} }: HookClient, event: EventInput): EventInput {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [fields[name] ?? name, value]));
}

async function responseTo(
  client: HookClientName,
  alias: string,
  url: string | undefined,
  event: EventInput,
): Promise<HookResponse> {
  try {
    const path = `/hooks/${client}?${new URLSearchParams({ alias })}`;
    const hub = await hubOf({ alias, url });
    return await hub.post(path, event, { signal: AbortSignal.timeout(ANSWER_MS) });
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
