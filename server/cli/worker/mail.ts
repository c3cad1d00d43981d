// The inbox of a worker. The event stream says when to check it. A task stays in the inbox until it is settled, so that
// the next worker finds the task of a worker that was killed.
import { MAX_INBOX_LIMIT } from '../../domain/limits.ts';
import type { InboxRecord } from '../../domain/message.ts';
import type { Priority } from '../../domain/task-status.ts';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { withRetry } from '../client/backoff.ts';
import type { HubClient } from '../client/hub-client.ts';
import { followEvents } from '../client/hub-events.ts';
import { note } from '../output.ts';
import { openWakeup } from './wakeup.ts';

/** One attempt of a task, as it is in the inbox. `id` is the message id of that attempt. */
export type Assignment = {
  id: string;
  task_id: string;
  attempt: number;
  content: string;
  context: string | null;
  priority: Priority;
  from_session: string;
};

export type Mail = {
  /** Returns the pending tasks, most urgent first. Prints and acknowledges all other messages. */
  look(signal: AbortSignal): Promise<Assignment[]>;
  /** Whether the attempt is still in the inbox. It leaves when it is cancelled, reassigned or settled elsewhere. */
  stillHolds(assignment: Assignment, signal: AbortSignal): Promise<boolean>;
  /** Resolves when the inbox may have changed, and after one minute at the latest. */
  change(signal: AbortSignal): Promise<void>;
  close(): void;
};

export function openMail(hub: HubClient, alias: string): Mail {
  const wakeup = openWakeup();
  const leaving = new AbortController();
  let broken: unknown;
  listen(hub, alias, leaving.signal, wakeup.wake).catch((error: unknown) => {
    broken = error;
    wakeup.wake();
  });

  const fetchInbox = async (signal: AbortSignal): Promise<InboxRecord[]> => {
    const ask = () => hub.tool<{ messages: InboxRecord[] }>('get_inbox', { alias, limit: MAX_INBOX_LIMIT });
    const { messages } = await withRetry(ask, signal);
    const others = messages.filter(({ type }) => type !== 'task');
    for (const message of others) await acknowledge(message, signal);
    // A full page of other messages may hide tasks.
    return others.length > 0 && messages.length === MAX_INBOX_LIMIT ? fetchInbox(signal) : messages;
  };
  const acknowledge = async (message: InboxRecord, signal: AbortSignal): Promise<void> => {
    note(`${message.type} from ${message.from_session}: ${message.content}`);
    await withRetry(() => hub.tool('ack_inbox', { alias, message_id: message.id }), signal);
  };

  return {
    look: async (signal) => (await fetchInbox(signal)).flatMap(assignmentOf),
    stillHolds: async ({ id }, signal) => {
      const messages = await fetchInbox(signal);
      return messages.length === MAX_INBOX_LIMIT || messages.some((message) => message.id === id);
    },
    change: async (signal) => {
      await wakeup.wait(MINUTE_MS, signal);
      if (broken !== undefined) throw broken;
    },
    close: () => leaving.abort(),
  };
}

function listen(hub: HubClient, alias: string, signal: AbortSignal, wake: () => void): Promise<void> {
  return withRetry(async () => {
    for await (const _event of followEvents(hub, `/events/${encodeURIComponent(alias)}`, signal)) wake();
  }, signal);
}

function assignmentOf({
  type,
  id,
  task_id,
  attempt,
  content,
  context,
  priority,
  from_session,
}: InboxRecord): Assignment[] {
  if (type !== 'task' || task_id === undefined || attempt === undefined) return [];
  return [{ id, task_id, attempt, content, context, priority, from_session }];
}
