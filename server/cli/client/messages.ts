// message, broadcast and inbox: sends messages that do not start work, and shows the pending messages of an agent.
import type { InboxRecord } from '../../domain/message.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { age, type OutputOptions, sayAnswer, sayLine, table } from '../output.ts';
import { readText } from '../text-argument.ts';
import { agentHub, networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';
import { noteWarning, postOnce, type Receipt } from './send.ts';

export type MessageOptions = HubOptions & OutputOptions & { from?: string; idempotencyKey?: string };

export async function message(alias: string, text: string, options: MessageOptions): Promise<void> {
  const body = {
    alias,
    message: await readText(text),
    from_session: options.from,
    idempotency_key: options.idempotencyKey,
  };
  const hub = await networkHub(options);
  const receipt = await postOnce<Receipt>(hub, '/api/messages', body);
  noteWarning(receipt);
  sayLine(options, receipt, ({ message_id, session_status }) => `${message_id} sent to ${alias} (${session_status})`);
}

export async function broadcast(text: string, options: MessageOptions): Promise<void> {
  const body = { content: await readText(text), from_session: options.from, idempotency_key: options.idempotencyKey };
  const hub = await networkHub(options);
  const answer = await postOnce<{ delivered_count: number }>(hub, '/api/broadcast', body);
  sayLine(
    options,
    answer,
    ({ delivered_count: count }) => `delivered to ${count} online ${count === 1 ? 'agent' : 'agents'}`,
  );
}

export type InboxOptions = HubOptions & OutputOptions & { alias: string; limit?: number; ack?: string };

/** Shows the pending messages of an agent as the agent sees them. With `ack`, acknowledges one instead. */
export async function inbox({ alias, limit, ack, ...options }: InboxOptions): Promise<void> {
  const hub = await agentHub(options);
  if (ack !== undefined) {
    const answer = await hub.tool('ack_inbox', { alias, message_id: ack });
    return sayLine(options, answer, () => `acknowledged ${ack}`);
  }
  const answer = await hub.tool<{ messages: InboxRecord[] }>('get_inbox', { alias, limit });
  sayAnswer(options, answer, ({ messages }) =>
    messages.length === 0 ? oneLine(`no messages for ${alias}`) : table(HEADINGS, messages.map(row)),
  );
}

const HEADINGS = ['ID', 'TYPE', 'PRIORITY', 'FROM', 'AGE', 'CONTENT'];

function row({ id, type, priority, from_session, created_at, content }: InboxRecord) {
  return [id, type, priority, from_session, age(created_at), content];
}
