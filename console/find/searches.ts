// The searches over tasks and messages, while their text is shown.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { listMessages, listTasks, type MessageRecord } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { onLiveEvent } from '../live/live-events.ts';
import { knownTasks, rememberTasks } from '../live/task-pool.ts';
import { chatEntriesOf } from '../messages/merge.ts';
import { matcherOf } from '../tasks/task-filter.ts';
import { type Search, search } from './search.ts';

/** A search starts when the user stops typing for this long. */
const TYPING_MS = 200;

export type TaskSearch = Search<TaskRecord>;
export type MessageSearch = Search<MessageRecord>;
export type Searches = { tasks: TaskSearch; messages: MessageSearch };

/** Null without a text to search for. A new text stops the search for the previous one. */
export function useSearches(text: string, wanted: number): Searches | null {
  const network_id = account.value?.network_id;
  const searches = useMemo(
    () => (text === '' ? null : { tasks: taskSearch(text, wanted), messages: messageSearch(text, wanted) }),
    [text, network_id],
  );
  useEffect(() => {
    if (searches === null) return undefined;
    const { tasks, messages } = searches;
    const timer = setTimeout(() => void Promise.all([tasks.more(), messages.more()]), TYPING_MS);
    return () => {
      clearTimeout(timer);
      tasks.stop();
      messages.stop();
    };
  }, [searches]);
  return searches;
}

function taskSearch(text: string, wanted: number): TaskSearch {
  const query = { text, network_id: account.value?.network_id, partial: 'true', limit: wanted } as const;
  return search({
    ask: async (cursor, signal) => {
      const { tasks, next_cursor } = await listTasks({ ...query, cursor }, signal);
      rememberTasks(tasks);
      return { rows: tasks, next: next_cursor };
    },
    keyOf: ({ task_id }) => task_id,
    known: knownTasks(matcherOf({ text }, hubTime()), wanted),
    wanted,
  });
}

/** A broadcast has a message for each recipient, but is one result. */
function messageSearch(text: string, wanted: number): MessageSearch {
  const query = { text, network_id: account.value?.network_id, without_tasks: 'true', partial: 'true' } as const;
  return search({
    ask: async (cursor, signal) => {
      const { messages, next_cursor } = await listMessages({ ...query, cursor }, signal);
      return { rows: messages, next: next_cursor };
    },
    keyOf: ({ id }) => id,
    known: [],
    wanted,
    countOf: (rows) => chatEntriesOf(rows).length,
  });
}

/** The status that a found task has now. Only these fields are taken from events, since events shorten long texts. */
export function useTaskNow(task: TaskRecord): TaskRecord {
  const changed = useSignal<Pick<TaskRecord, 'status' | 'attempt'> | null>(null);
  useEffect(() => {
    changed.value = null;
    return onLiveEvent((event) => {
      if (event.type === 'task' && event.task_id === task.task_id)
        changed.value = { status: event.status, attempt: event.attempt };
    });
  }, [task]);
  return { ...task, ...changed.value };
}
