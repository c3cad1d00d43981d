// The inbox of a worker. Its event stream says when to look; a task stays in it until it is settled, so that one whose
// worker was killed is found by the next.
import { MAX_INBOX_LIMIT } from '../../domain/limits.ts';
import type { InboxRecord } from '../../domain/message.ts';
import type { Priority } from '../../domain/task.ts';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { withRetry } from '../client/backoff.ts';
import type { HubClient } from '../client/hub-client.ts';
import { followEvents } from '../client/hub-events.ts';
import { note } from '../output.ts';
import { openWakeup } from './wakeup.ts';

/** A task as it lies in the inbox: one attempt of it. `id` is that attempt's own. */
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
  /** The tasks that wait, most urgent first. Everything else is told, acknowledged and gone. */
  look(signal: AbortSignal): Promise<Assignment[]>;
  /**
   * Whether the attempt still lies in the inbox, which it leaves when it is cancelled, reassigned or settled by
   * another.
   */
  stillHolds(assignment: Assignment, signal: AbortSignal): Promise<boolean>;
  /** Resolves when there may be something new, and at the latest after a minute. */
  change(signal: AbortSignal): Promise<void>;
  close(): void;
};

export function openMail(hub: HubClient, alias: string): Mail {
  const bell = openWakeup();
  const leaving = new AbortController();
  let broken: unknown;
  listen(hub, alias, leaving.signal, bell.ring).catch((error: unknown) => {
    broken = error;
    bell.ring();
  });

  const fetchInbox = async (signal: AbortSignal): Promise<InboxRecord[]> => {
    const ask = () => hub.tool<{ messages: InboxRecord[] }>('get_inbox', { alias, limit: MAX_INBOX_LIMIT });
    const { messages } = await withRetry(ask, signal);
    const others = messages.filter(({ type }) => type !== 'task');
    for (const message of others) await acknowledge(message, signal);
    // A full page of notices may have hidden tasks.
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
      await bell.rung(MINUTE_MS, signal);
      if (broken !== undefined) throw broken;
    },
    close: () => leaving.abort(),
  };
}

function listen(hub: HubClient, alias: string, signal: AbortSignal, ring: () => void): Promise<void> {
  return withRetry(async () => {
    for await (const _event of followEvents(hub, `/events/${encodeURIComponent(alias)}`, signal)) ring();
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
