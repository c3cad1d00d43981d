// Loads one task and keeps it current while its page is open: cached data first, then the response, then live events.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import {
  listCompletions,
  type MessageRecord,
  showTask,
  type TaskEventRecord,
  type TaskMoments,
  type WhyFacts,
  whyTask,
} from '../live/api.ts';
import { type LiveEvent, onLiveEvent, whileHoldingEvents } from '../live/live-events.ts';
import { RequestError } from '../live/request.ts';
import { rememberTasks, taskKnown } from '../live/task-pool.ts';
import { loadTalk } from './talk.ts';

export type TaskDetail = {
  task: Signal<TaskRecord | null>;
  events: Signal<readonly TaskEventRecord[]>;
  moments: Signal<TaskMoments | null>;
  why: Signal<WhyFacts | null>;
  /** The messages of all attempts, for a task with more than one. */
  replies: Signal<readonly MessageRecord[]>;
  /** Its questions and the answers, oldest first. */
  talk: Signal<readonly MessageRecord[]>;
  /** Paths or URLs that its agent reported as completed for it. */
  artifacts: Signal<readonly string[]>;
  problem: Signal<'missing' | 'failed' | null>;
  load(): Promise<void>;
};

/** An outline would show the beginning of a text as if it were all. */
function wholeTaskKnown(task_id: string): TaskRecord | null {
  const known = taskKnown(task_id);
  return known === undefined || known.is_outline === true ? null : known;
}

/** The newest completions of the agent, among which those of the task are. */
const COMPLETIONS = 20;
/** The delay that collects a burst of changes into one request. */
const SETTLE_MS = 250;

export function useTaskDetail(task_id: string): TaskDetail {
  const task = useSignal<TaskRecord | null>(wholeTaskKnown(task_id));
  const events = useSignal<readonly TaskEventRecord[]>([]);
  const moments = useSignal<TaskMoments | null>(null);
  const why = useSignal<WhyFacts | null>(null);
  const replies = useSignal<readonly MessageRecord[]>([]);
  const talk = useSignal<readonly MessageRecord[]>([]);
  const artifacts = useSignal<readonly string[]>([]);
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
      void loadTalk(shown.task).then((messages) => (talk.value = messages));
      if (!isLive(shown.task)) void loadArtifacts(shown.task.to_name);
    } catch (error) {
      problem.value = error instanceof RequestError && error.status === 404 ? 'missing' : 'failed';
    }
  }

  async function loadArtifacts(alias: string): Promise<void> {
    const query = { network_id: account.value?.network_id, alias, limit: COMPLETIONS };
    const { completions } = await listCompletions(query).catch(() => ({ completions: [] }));
    artifacts.value = completions.flatMap((each) => (each.task_id === task_id && each.artifacts) || []);
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
      if (isThisTask || isItsAgent || isItsTalk(event, task.value?.to_name)) timer ??= setTimeout(reload, SETTLE_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [task_id]);

  return { task, events, moments, why, replies, talk, artifacts, problem, load };
}

function isItsTalk(event: LiveEvent, agent: string | undefined): boolean {
  if (event.type !== 'new_message' && event.type !== 'new_reply') return false;
  return event.alias === agent || event.from === agent;
}
