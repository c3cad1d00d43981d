// The expected result of every read operation, in the format of the hub.
import { expect } from 'vitest';
import { timestamp, timestampOrNull } from '../../../server/domain/time/time.ts';
import type { Expected } from './rules.ts';
import { learn } from './sends.ts';
import {
  inboxOf,
  inboxPage,
  isLive,
  type Message,
  type ModelState,
  type Net,
  presentStatus,
  SECOND,
  type SessionStatus,
  see,
  sessionOf,
  type Task,
  type TaskStatus,
  taskBy,
} from './state.ts';

const HEARTBEAT_MAY_BE_LATE_MS = 15 * SECOND;

export function getInbox(
  state: ModelState,
  net: Net,
  { alias, limit = 10 }: { alias: string; limit?: number },
  isViewer: boolean,
): Expected {
  const found = inboxPage(net, alias, limit);
  const result = { ok: true, messages: found.map((message) => messageRecord(net, message)) };
  if (!isViewer) {
    see(state, net, alias);
    for (const message of found) message.fetched ??= state.now;
  }
  return { result, learns: ({ messages }) => learnIds(state, found, messages) };
}

/** Messages whose ids were not returned by a send show them here first. */
function learnIds(state: ModelState, expected: readonly Message[], shown: unknown): void {
  if (!Array.isArray(shown)) return;
  for (const [index, message] of expected.entries()) {
    const { id } = shown[index];
    if (message.id === undefined) {
      expect(state.knownIds, 'a new message has a new id').not.toContain(id);
      learn(state, message, id);
    }
  }
}

function messageRecord(net: Net, message: Message): object {
  return {
    ...(message.id === undefined ? {} : { id: message.id }),
    type: message.type,
    priority: message.priority,
    from_session: message.from,
    created_at: timestamp(message.created),
    network_id: net.id,
    ...(message.type !== 'cancel' && { content: message.content }),
    ...(message.task !== undefined && { task_id: message.task.id, attempt: message.attempt }),
    ...(message.status !== undefined && { status: message.status }),
    ...(message.about !== undefined && { in_reply_to: message.about }),
  };
}

export function getTask(_: ModelState, net: Net, { task_id }: { task_id: string }): Expected {
  const task = taskBy(net, task_id);
  return task === undefined ? { error: 'task not found' } : { result: { ok: true, task: taskRecord(net, task) } };
}

export function waitTask(_: ModelState, net: Net, { task_id }: { task_id: string }): Expected {
  const task = taskBy(net, task_id);
  return task === undefined
    ? { error: 'task not found' }
    : { result: { ok: true, task: taskRecord(net, task), settled: !isLive(task) } };
}

/** The hub decides when it writes an expiry. */
function taskRecord(net: Net, task: Task): object {
  const { fetched } =
    net.messages.find(
      (message) => message.type === 'task' && message.task === task && message.attempt === task.attempt,
    ) ?? {};
  return {
    task_id: task.id,
    from_name: task.from,
    to_name: task.to,
    priority: task.priority,
    status: task.status,
    content: task.content,
    result: task.result,
    created_at: timestamp(task.created),
    delivered_at: timestamp(task.delivered),
    started_at: timestampOrNull(task.started),
    completed_at: task.status === 'expired' ? expect.any(String) : timestampOrNull(task.completed),
    expires_at: timestamp(task.expires),
    network_id: net.id,
    attempt: task.attempt,
    ...(typeof fetched === 'number' && { fetched_at: timestamp(fetched) }),
  };
}

type Filter = { alias?: string; status?: TaskStatus; from_name?: string; limit?: number };

export function listTasks(_: ModelState, net: Net, { alias, status, from_name, limit = 20 }: Filter): Expected {
  const fits = (task: Task): boolean =>
    (alias === undefined || task.to === alias) &&
    (status === undefined || task.status === status) &&
    (from_name === undefined || task.from === from_name);
  const found = net.tasks.filter(fits).reverse().slice(0, limit);
  const tasks = found.map((task) => taskRecord(net, task));
  return { result: { ok: true, tasks, count: found.length, stats: countsOf(net.tasks.map((task) => task.status)) } };
}

/** In the order of the statuses' names, which SPECIFICATION.md leaves open and the reader of an answer does not see. */
function countsOf(statuses: readonly string[]): { status: string; count: number }[] {
  return [...new Set(statuses)]
    .sort()
    .map((status) => ({ status, count: statuses.filter((each) => each === status).length }));
}

export function getStats(_: ModelState, net: Net): Expected {
  const statuses = net.sessions.map(presentStatus);
  const offline = statuses.filter((status) => status === 'offline').length;
  const count = (status: TaskStatus): number => net.tasks.filter((task) => task.status === status).length;
  const tasks = {
    delivered: count('delivered'),
    running: count('running'),
    replied: count('replied'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    expired: count('expired'),
  };
  return {
    result: {
      sessions: { total: statuses.length, online: statuses.length - offline, offline },
      tasks: { total: net.tasks.length, ...tasks },
    },
  };
}

export function getAllStatus(
  _: ModelState,
  net: Net,
  { filter_status: wanted }: { filter_status?: SessionStatus },
): Expected {
  const found = net.sessions.filter((session) => wanted === undefined || presentStatus(session) === wanted);
  const sessions = found.map((session) => ({
    resume_id: session.resume_id,
    alias: session.alias,
    status: presentStatus(session),
    ...(session.task !== null && { task: session.task }),
  }));
  return {
    result: {
      ok: true,
      sessions: sessions.sort((one, other) => (one.alias < other.alias ? -1 : 1)),
      summary: countsOf(net.sessions.map(presentStatus)),
    },
  };
}

export function getSessionStatus(_: ModelState, net: Net, { alias }: { alias: string }): Expected {
  const session = sessionOf(net, alias);
  if (session === undefined) return { error: 'session not found' };
  const { resume_id, lastSeen, task } = session;
  const result = {
    ok: true,
    session: { resume_id, alias, status: presentStatus(session), task, network_id: net.id },
    inbox_pending: inboxOf(net, alias).length,
  };
  return {
    result,
    learns: ({ session: shown, recent_completions: recent }) => {
      expect(lastSeenIn(shown, lastSeen), 'last_seen_at').toBe(true);
      const done = net.completions.filter((completion) => completion.alias === alias).reverse();
      expect(recent).toMatchObject(
        done
          .slice(0, Array.isArray(recent) ? recent.length : 0)
          .map(({ task: words, result }) => ({ task: words, result })),
      );
      expect(Array.isArray(recent) && (recent.length > 0 || done.length === 0)).toBe(true);
    },
  };
}

/** A heartbeat without a report can be written late. */
function lastSeenIn(shown: unknown, lastSeen: number): boolean {
  const at = typeof shown === 'object' && shown !== null && 'last_seen_at' in shown ? String(shown.last_seen_at) : '';
  return at <= timestamp(lastSeen) && at >= timestamp(lastSeen - HEARTBEAT_MAY_BE_LATE_MS);
}
