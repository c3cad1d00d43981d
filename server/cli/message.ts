// message: text for an agent to show, which starts no work.
import { networkHub } from './credentials.ts';
import { sayLine, type OutputOptions } from './output.ts';
import { noteWarning, type Receipt } from './send.ts';
import { readText } from './text-argument.ts';

export type MessageOptions = OutputOptions & { from?: string; idempotencyKey?: string };

export async function message(alias: string, text: string, options: MessageOptions): Promise<void> {
  const body = { alias, message: await readText(text), from_session: options.from, idempotency_key: options.idempotencyKey };
  const receipt = await networkHub().post<Receipt>('/api/messages', body);
  noteWarning(receipt);
  sayLine(options, receipt, ({ message_id, session_status }) => `${message_id} sent to ${alias} (${session_status})`);
}
