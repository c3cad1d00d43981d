// Messages for which their recipient waits have priority high: in an inbox with many tasks, they are on the first page.
import type { Message } from '../../domain/message.ts';
import type { Task } from '../../domain/task.ts';
import type { Priority } from '../../domain/task-status.ts';
import type { Recipient } from './deliver.ts';

/** What a message answers. */
export type Answered = { task?: Task | undefined; message?: Message | undefined };

/** High for an answer to its message, a message about a task that it sent or runs, and all while it is halted. */
export function priorityFor(to: string, { isHalted }: Recipient, { task, message }: Answered = {}): Priority {
  const hasAsked = message?.type === 'message' && message.from_session === to;
  const isItsWork = task?.from_name === to || (task?.status === 'running' && task.to_name === to);
  return isHalted || hasAsked || isItsWork ? 'high' : 'normal';
}
