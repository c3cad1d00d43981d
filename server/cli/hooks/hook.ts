// hook: passes a hook event of a coding agent to the hub, and prints the response in the form of that client. A hub
// that is down must not disturb the agent, so nothing is printed then.
import type { HookClient, HookResponse } from '../../domain/clients/client.ts';
import { connectNameOf, HOOK_NAMES, type HookName, hookClient } from '../../domain/clients/clients.ts';
import { inOurNames } from '../../domain/clients/hook-event.ts';
import { momentOf } from '../../domain/hooks/moments.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { access } from '../client/access/access.ts';
import { type AgentOptions, type ConnectForms, hubOf } from '../client/access/agent-tokens.ts';
import { pluginConnection } from '../client/hook-environment.ts';
import { isTransient } from '../client/hub-client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { note, sayExact } from '../output.ts';
import { type EventInput, readEvent, shortFields, textIn } from './event-input.ts';
import { pluginGreeting } from './plugin-greeting.ts';
import { waiterGreeting, waiterReminder } from './waiter-greeting.ts';

/** Longer than a hub takes, and shorter than clients wait. */
const ANSWER_MS = 3 * SECOND_MS;

export async function hook(client: HookName, agent: AgentOptions): Promise<void> {
  const input = await readEvent(`agenthub hook ${client}`);
  const event = shortFields(inOurNames(hookClient(client), input));
  assertForm(client, shortFields(input), event);
  const response = await responseTo(client, agent, event);
  if (!isEmpty(response)) sayExact(JSON.stringify(response));
}

/** A greeting must not come late, and the hub has nothing to add to it. */
async function responseTo(client: HookName, agent: AgentOptions, event: EventInput): Promise<HookResponse> {
  const greeted = await addressed(agent);
  const greeting = greeted === undefined ? {} : waiterGreeting(client, greeted, event);
  if (!isEmpty(greeting)) return greeting;
  const response = { ...pluginGreeting(agent.alias, event), ...(await responseOfHub(client, agent, event)) };
  return isEmpty(response) && greeted !== undefined ? waiterReminder(client, greeted, event) : response;
}

/** With the address of the hub; undefined if it is down and its address is not known. */
async function addressed({ alias, ...selecting }: AgentOptions): Promise<(AgentOptions & { url: string }) | undefined> {
  const { url, network: _, ...local } = selecting; // a name of a network would be looked up on the hub
  const address = url ?? (await access(local).catch(unlessDown))?.url;
  return address === undefined ? undefined : { ...selecting, alias, url: address };
}

function unlessDown(error: unknown): undefined {
  if (!isDown(error)) throw error;
}

/** Also if --data names the directory of a hub that is stopped. */
function isDown(error: unknown): boolean {
  return isTransient(error) || (error instanceof CommandError && error.exitCode === EXIT.unreachable);
}

function isEmpty(response: HookResponse): boolean {
  return Object.keys(response).length === 0;
}

const REQUIRED = ['hook_event_name', 'session_id'];

function assertForm(client: HookName, given: EventInput, event: EventInput): void {
  const missing = REQUIRED.find((field) => textIn(event, field) === undefined);
  if (missing === undefined) return;
  const other = HOOK_NAMES.find((name) => name !== client && isOfForm(hookClient(name), given));
  const { title } = hookClient(client).setup;
  throw new CommandError(
    other === undefined
      ? `the event has no ${nameIn(hookClient(client), missing)}, as events of ${title} have; pass it on as ${title} wrote it`
      : `this is an event of ${hookClient(other).setup.title}, not of ${title}; run agenthub hook ${other} instead`,
  );
}

/** Whether the event has all that is required, some of it under names that only this client uses. */
function isOfForm(client: HookClient, given: EventInput): boolean {
  const names = REQUIRED.map((field) => nameIn(client, field));
  return names.every((name) => textIn(given, name) !== undefined) && names.some((name) => !REQUIRED.includes(name));
}

/** The client's name for a field. */
function nameIn({ hooks: { fields = {} } }: HookClient, field: string): string {
  return Object.entries(fields).find(([, ours]) => ours === field)?.[0] ?? field;
}

async function responseOfHub(client: HookName, agent: AgentOptions, event: EventInput): Promise<HookResponse> {
  try {
    const path = `/hooks/${client}?${new URLSearchParams({ alias: agent.alias })}`;
    const hub = await hubOf(agent, connectForms(client));
    return await hub.post(path, event, { signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    if (isDown(error)) return {};
    if (error instanceof CommandError && error.exitCode === EXIT.denied) return refusal(client, event, error);
    throw error;
  }
}

/** With each prompt, the person, who can replace the token, and the model are told why; not every client shows both. */
function refusal(client: HookName, event: EventInput, { message }: CommandError): HookResponse {
  note(message);
  const { moments, forms } = hookClient(client).hooks;
  const name = String(event['hook_event_name']);
  if (momentOf(moments, name) !== 'prompt') return {};
  const text = `agenthub: ${message}`;
  return { ...forms.prompt?.(text, name), systemMessage: text };
}

function connectForms(client: HookName): ConnectForms {
  const name = connectNameOf(client);
  if (pluginConnection() !== undefined) return ['claude --plugin'];
  return name === undefined ? [] : [`${name} --hooks`];
}
