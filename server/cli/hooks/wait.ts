// wait: returns as soon as an agent has mail. Designed for agent hooks: prints one line and sets the exit code.
import type { InboxRecord } from '../../domain/message.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { type Millis, systemClock } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { type AgentOptions, hubOf } from '../client/access/agent-tokens.ts';
import { withRetry } from '../client/backoff.ts';
import type { HubClient } from '../client/hub-client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { type Format, type OutputOptions, say, sayJson } from '../output.ts';
import { ask, mentions } from './mentions.ts';

export type WaitOptions = AgentOptions & OutputOptions & { timeout: number; new?: true };

/** Proxies commonly close a request that is silent for a minute. */
const ASK_SECONDS = 50;

export async function wait({ timeout, new: isForNew, output, ...agent }: WaitOptions): Promise<void> {
  const { alias } = agent;
  const hub = await hubOf(agent);
  if (isForNew) return waitForNew(hub, alias, timeout, output);
  const leaving = AbortSignal.timeout(Math.max(1, timeout * SECOND_MS));
  const end = systemClock.now() + timeout * SECOND_MS;
  // One line leaves the mail to be read, and JSON has it whole.
  const look = (wait_seconds: number) => pendingMail(hub, { alias, wait_seconds, peek: output !== 'json' });
  let messages = await look(0);
  while (messages.length === 0 && systemClock.now() < end) {
    const seconds = Math.min(ASK_SECONDS, Math.max(1, Math.ceil((end - systemClock.now()) / SECOND_MS)));
    messages = await withRetry(() => look(seconds), leaving);
  }
  if (messages.length === 0) throw timedOut(`no mail for ${alias} in ${timeout} s`);
  if (output === 'json') sayJson({ messages });
  else say(describe(alias, messages));
}

async function waitForNew(hub: HubClient, alias: string, timeout: number, output: Format): Promise<void> {
  const end = systemClock.now() + timeout * SECOND_MS;
  const { mention = await nextMention(hub, alias, end) } = await ask(hub, { alias, first: true });
  if (mention === undefined) throw timedOut(`no new mail for ${alias} in ${timeout} s`);
  if (output === 'json') sayJson({ mention });
  else say(oneLine(mention));
}

const timedOut = (message: string) => new CommandError(message, EXIT.timedOut);

async function nextMention(hub: HubClient, alias: string, end: Millis): Promise<string | undefined> {
  const isNeeded = () => systemClock.now() < end;
  if (isNeeded()) for await (const mention of mentions(hub, { alias, isNeeded })) return mention;
  return undefined;
}

async function pendingMail(
  hub: HubClient,
  request: { alias: string; wait_seconds: number; peek: boolean },
): Promise<InboxRecord[]> {
  const extraTimeoutMs = request.wait_seconds * SECOND_MS;
  const { messages } = await hub.tool<{ messages: InboxRecord[] }>('get_inbox', request, { extraTimeoutMs });
  return messages;
}

function describe(alias: string, messages: readonly InboxRecord[]): string {
  const [first] = messages;
  const what = first?.type === 'task' ? `${first.priority} task` : (first?.type ?? 'message');
  const others = messages.length === 1 ? '' : ` and ${messages.length - 1} more`;
  return oneLine(
    `agenthub: ${what} for ${alias} (${first?.id} from ${first?.from_session})${others}; run agenthub inbox --alias ${alias} to read it`,
  );
}
