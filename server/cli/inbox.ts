// inbox: what waits for an agent, as the agent itself sees it; and with --ack its acknowledgement.
import type { InboxRecord } from '../domain/message.ts';
import { agentHub } from './credentials.ts';
import { age, oneLine, sayAnswer, sayLine, table, type OutputOptions } from './output.ts';

export type InboxOptions = OutputOptions & { alias: string; limit?: number; ack?: string };

export async function inbox({ alias, limit, ack, ...options }: InboxOptions): Promise<void> {
  const hub = agentHub();
  if (ack !== undefined) {
    const answer = await hub.tool('ack_inbox', { alias, message_id: ack });
    return sayLine(options, answer, () => `acknowledged ${ack}`);
  }
  const answer = await hub.tool<{ messages: InboxRecord[] }>('get_inbox', { alias, limit });
  sayAnswer(options, answer, ({ messages }) => (messages.length === 0 ? oneLine(`nothing waits for ${alias}`) : table(HEADINGS, messages.map(row))));
}

const HEADINGS = ['ID', 'TYPE', 'PRIORITY', 'FROM', 'AGE', 'CONTENT'];

function row({ id, type, priority, from_session, created_at, content }: InboxRecord) {
  return [id, type, priority, from_session, age(created_at), content];
}
