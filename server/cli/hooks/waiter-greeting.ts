// What a hook says to a session that only a background shell can wake: the command that the model keeps running, when
// the session starts, and at the end of a turn if nothing waits any more. A client can lose the end of a command, and a
// model can forget to run it again.
import type { HookClient, HookResponse } from '../../domain/clients/client.ts';
import { type HookName, hookClient } from '../../domain/clients/clients.ts';
import type { Agent } from '../../domain/clients/setup.ts';
import { momentOf } from '../../domain/hooks/moments.ts';
import { type HubOptions, hubWords } from '../client/access/hub-options.ts';
import { commandLine } from '../connect/command-line.ts';
import { installedWaiter, WAITER } from '../connect/waiter-script.ts';
import { programInShell } from '../this-program.ts';
import { type EventInput, textIn } from './event-input.ts';
import { hasLostWaiter, isHeadless, ownerOf } from './session-claim.ts';

/** The address is resolved; the model does not get a token, only the file that has it. */
type Greeted = Agent & Pick<HubOptions, 'network' | 'tokenFile'>;

/** Empty for other clients, and for other events. */
export function waiterGreeting(client: HookName, agent: Greeted, event: EventInput): HookResponse {
  const { hooks, approvals }: HookClient = hookClient(client);
  const { wokenByShell } = hooks;
  const session = textIn(event, 'session_id');
  if (wokenByShell === undefined || event['hook_event_name'] !== wokenByShell.event || session === undefined) return {};
  if (isHeadless(ownerOf(process.pid))) return {};
  return wokenByShell.form(textFor(agent.alias, waitingCommand(approvals, agent, session)), wokenByShell.event);
}

/** Empty unless a turn ends whose session was waiting for mail and no longer is. It is told once at each end. */
export function waiterReminder(client: HookName, agent: Greeted, event: EventInput): HookResponse {
  const { hooks, approvals }: HookClient = hookClient(client);
  const [session, name] = [textIn(event, 'session_id'), textIn(event, 'hook_event_name') ?? ''];
  const isEnd = momentOf(hooks.moments, name) === 'turn end' && event['stop_hook_active'] !== true;
  if (hooks.wokenByShell === undefined || !isEnd || session === undefined || agent.url === undefined) return {};
  if (!hasLostWaiter({ url: agent.url, alias: agent.alias, session })) return {};
  const text = `agenthub: nothing waits for your mail any more. Run this command in a background shell, then end your turn: \`${waitingCommand(approvals, agent, session)}\`.`;
  return hooks.forms['turn end']?.(text, name) ?? {};
}

function waitingCommand(approvals: HookClient['approvals'], agent: Greeted, session: string): string {
  const { network, tokenFile } = agent;
  const isAlone = approvals !== undefined && installedWaiter() !== undefined;
  const program = isAlone ? [WAITER] : [...programInShell(), 'wake', '--session'];
  return commandLine([session, ...hubWords({ network, tokenFile })], agent, program);
}

function textFor(alias: string, command: string): string {
  return [
    `agenthub: you are ${JSON.stringify(alias)}. Hooks tell you about new mail while you work.`,
    'To get mail while you are idle, run this command in a background shell before you end your turn, and again each',
    `time it has ended: \`${command}\`. It ends when mail arrives, and its output is the mail. Do not wait for it or poll it.`,
  ].join(' ');
}
