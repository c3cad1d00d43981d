// Loads one task and keeps it current while its page is open: cached data first, then the response, then live events.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import {
  type MessageRecord,
  showTask,
  type TaskEventRecord,
  type TaskMoments,
  type WhyFacts,
  whyTask,
} from '../live/api.ts';
import { onLiveEvent, whileHoldingEvents } from '../live/live-events.ts';
import { RequestError } from '../live/request.ts';
import { rememberTasks, taskKnown } from '../live/task-pool.ts';

export type TaskDetail = {
  task: Signal<TaskRecord | null>;
  events: Signal<readonly TaskEventRecord[]>;
  moments: Signal<TaskMoments | null>;
  why: Signal<WhyFacts | null>;
  /** The messages of all attempts, for a task with more than one. */
  replies: Signal<readonly MessageRecord[]>;
  problem: Signal<'missing' | 'failed' | null>;
  load(): Promise<void>;
};

/** The delay that collects a burst of changes into one request. */
const SETTLE_MS = 250;

export function useTaskDetail(task_id: string): TaskDetail {
  const task = useSignal<TaskRecord | null>(taskKnown(task_id) ?? null);
  const events = useSignal<readonly TaskEventRecord[]>([]);
  const moments = useSignal<TaskMoments | null>(null);
  const why = useSignal<WhyFacts | null>(null);
  const replies = useSignal<readonly MessageRecord[]>([]);
  const problem = useSignal<'missing' | 'failed' | null>(null);

  async function load(): Promise<void> {
    const query = { network_id: account.value?.network_id };
    try {
      const [shown, reason] = await whileHoldingEvents(
        Promise.all([showTask(task_id, query), whyTask(task_id, query).catch(() => null)]),
      );
      rememberTasks([shown.task]);
      task.value = shown.task;
      events.value = shown.events;
      moments.value = shown.moments_ms;
      replies.value = shown.replies ?? [];
      why.value = reason?.facts ?? null;
      problem.value = null;
    } catch (error) {
      problem.value = error instanceof RequestError && error.status === 404 ? 'missing' : 'failed';
    }
  }

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reload = () => {
      timer = undefined;
      void load();
    };
    void load();
    const end = onLiveEvent((event) => {
      const isThisTask = event.type === 'task' && event.task_id === task.value?.task_id;
      // The reason why it waits depends on its agent.
      const isItsAgent = event.type === 'session' && event.alias === task.value?.to_name;
      if (isThisTask) task.value = event;
      if (isThisTask || isItsAgent) timer ??= setTimeout(reload, SETTLE_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [task_id]);

  return { task, events, moments, why, replies, problem, load };
}
