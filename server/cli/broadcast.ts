// broadcast: one message to every agent that is online.
import { networkHub } from './credentials.ts';
import type { MessageOptions } from './message.ts';
import { sayLine } from './output.ts';
import { readText } from './text-argument.ts';

export async function broadcast(text: string, options: MessageOptions): Promise<void> {
  const body = { content: await readText(text), from_session: options.from, idempotency_key: options.idempotencyKey };
  const answer = await networkHub().post<{ delivered_count: number }>('/api/broadcast', body);
  sayLine(options, answer, ({ delivered_count: count }) => `delivered to ${count} online ${count === 1 ? 'agent' : 'agents'}`);
}
