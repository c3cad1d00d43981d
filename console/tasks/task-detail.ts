// One task followed for as long as its page is open: what is known at once, then the hub's word, then every change.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { type MessageRecord, showTask, type TaskEventRecord, type WhyFacts, whyTask } from '../live/api.ts';
import { holdingEvents, onLiveEvent } from '../live/live-events.ts';
import { RequestError } from '../live/request.ts';
import { rememberTasks, taskKnown } from '../live/task-pool.ts';

export type TaskDetail = {
  task: Signal<TaskRecord | null>;
  events: Signal<readonly TaskEventRecord[] | null>;
  why: Signal<WhyFacts | null>;
  /** What was said of its attempts, of a task that was given out more than once. */
  replies: Signal<readonly MessageRecord[]>;
  problem: Signal<'missing' | 'failed' | null>;
  load(): Promise<void>;
};

/** A change is asked about this much later, so that a burst of them is asked about once. */
const SETTLE_MS = 250;

export function useTaskDetail(task_id: string): TaskDetail {
  const task = useSignal<TaskRecord | null>(taskKnown(task_id) ?? null);
  const events = useSignal<readonly TaskEventRecord[] | null>(null);
  const why = useSignal<WhyFacts | null>(null);
  const replies = useSignal<readonly MessageRecord[]>([]);
  const problem = useSignal<'missing' | 'failed' | null>(null);

  async function load(): Promise<void> {
    const query = { network_id: account.value?.network_id };
    try {
      const [shown, reason] = await holdingEvents(
        Promise.all([showTask(task_id, query), whyTask(task_id, query).catch(() => null)]),
      );
      rememberTasks([shown.task]);
      task.value = shown.task;
      events.value = shown.events;
      replies.value = shown.replies ?? [];
      why.value = reason?.facts ?? null;
      problem.value = null;
    } catch (error) {
      problem.value = error instanceof RequestError && error.status === 404 ? 'missing' : 'failed';
    }
  }

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    void load();
    const end = onLiveEvent((event) => {
      const isMine = event.type === 'task' && event.task_id === task.value?.task_id;
      // Why it waits lies with the agent it waits for.
      const isItsAgents = event.type === 'session' && event.alias === task.value?.to_name;
      if (isMine) task.value = event;
      if (isMine || isItsAgents) timer ??= setTimeout(() => ((timer = undefined), void load()), SETTLE_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [task_id]);

  return { task, events, why, replies, problem, load };
}
