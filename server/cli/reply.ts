// reply: answers a task and so settles it.
import type { Outcome } from '../domain/task.ts';
import { networkHub } from './credentials.ts';
import { sayLine, type OutputOptions } from './output.ts';
import { noteWarning, type Receipt } from './send.ts';
import { readText } from './text-argument.ts';

export type ReplyOptions = OutputOptions & { status?: Outcome; from?: string; to?: string; idempotencyKey?: string };

export async function reply(taskId: string, text: string, options: ReplyOptions): Promise<void> {
  const { status, from, to, idempotencyKey } = options;
  const body = { text: await readText(text), status, from_session: from, alias: to, idempotency_key: idempotencyKey };
  const receipt = await networkHub().post<Receipt>(`/api/tasks/${encodeURIComponent(taskId)}/reply`, body);
  noteWarning(receipt);
  sayLine(options, receipt, () => `${taskId} is settled: ${status ?? 'replied'}`);
}
