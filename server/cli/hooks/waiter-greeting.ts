// What a hook says when a session starts that only a background shell can wake: the command that the model keeps
// running.
import type { HookClient, HookResponse } from '../../domain/clients/client.ts';
import { type HookName, hookClient } from '../../domain/clients/clients.ts';
import type { Agent } from '../../domain/clients/setup.ts';
import { type HubOptions, hubWords } from '../client/access/hub-options.ts';
import { commandLine } from '../connect/command-line.ts';
import { installedWaiter, WAITER } from '../connect/waiter-script.ts';
import { programInShell } from '../this-program.ts';
import { type EventInput, textIn } from './event-input.ts';
import { isHeadless, ownerOf } from './session-claim.ts';

/** The address is resolved; the model does not get a token, only the file that has it. */
type Greeted = Agent & Pick<HubOptions, 'network' | 'tokenFile'>;

/** Empty for other clients, and for other events. */
export function waiterGreeting(client: HookName, agent: Greeted, event: EventInput): HookResponse {
  const { hooks, approvals }: HookClient = hookClient(client);
  const { wokenByShell } = hooks;
  const session = textIn(event, 'session_id');
  if (wokenByShell === undefined || event['hook_event_name'] !== wokenByShell.event || session === undefined) return {};
  if (isHeadless(ownerOf(process.pid))) return {};
  const { network, tokenFile } = agent;
  const isAlone = approvals !== undefined && installedWaiter() !== undefined;
  const program = isAlone ? [WAITER] : [...programInShell(), 'wake', '--session'];
  const command = commandLine([session, ...hubWords({ network, tokenFile })], agent, program);
  return wokenByShell.form(textFor(agent.alias, command), wokenByShell.event);
}

function textFor(alias: string, command: string): string {
  return [
    `agenthub: you are ${JSON.stringify(alias)}. Hooks tell you about new mail while you work.`,
    'To get mail while you are idle, run this command in a background shell before you end your turn, and again each',
    `time it has ended: \`${command}\`. It ends when mail arrives, and its output is the mail. Do not wait for it or poll it.`,
  ].join(' ');
}
