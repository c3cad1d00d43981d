// What a message answers, from the loaded messages and the tasks this page knows, so that a row needs no request.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { MessageRecord } from '../live/api.ts';
import type { ChatEntry } from './merge.ts';

/** `unknown` is a message that is not loaded. */
export type Quote =
  | { kind: 'message'; entry_id: string; message: MessageRecord }
  | { kind: 'task'; task_id: string; from: string | undefined; content: string | undefined }
  | { kind: 'unknown' };

export type Quotes = (message: MessageRecord) => Quote | undefined;

type Known = (task_id: string) => Pick<TaskRecord, 'content' | 'from_name'> | undefined;

export function quotesIn(entries: readonly ChatEntry[], taskKnown: Known): Quotes {
  const loaded = new Map<string, { entry_id: string; message: MessageRecord }>();
  for (const { message: shown, copies } of entries)
    for (const message of copies)
      for (const id of [message.id, message.type === 'task' ? message.task_id : undefined])
        if (id !== undefined) loaded.set(id, { entry_id: shown.id, message });
  return ({ in_reply_to: id, task_id }) => {
    if (id === undefined) return undefined;
    const found = loaded.get(id);
    if (found !== undefined && found.message.type !== 'task') return { kind: 'message', ...found };
    const task = taskKnown(id) ?? taskKnown(found?.message.task_id ?? '');
    if (found === undefined && task === undefined && id !== task_id && !isTaskId(id)) return { kind: 'unknown' };
    return {
      kind: 'task',
      task_id: found?.message.task_id ?? id,
      from: found?.message.from_session ?? task?.from_name,
      content: found?.message.content ?? task?.content,
    };
  };
}

export function isTaskId(id: string): boolean {
  return id.startsWith('task_');
}
