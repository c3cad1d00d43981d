// task: shows one task in full: its progress, the reason for its state, its result and its history.
import type { TaskRecord } from '../../domain/task.ts';
import type { taskEventRecord } from '../../domain/task-event.ts';
import { printable } from '../../domain/text/terminal-text.ts';
import { age, type Cell, colored, facts, type OutputOptions, sayAnswer, table, zoned } from '../output.ts';
import { networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';
import { type HubClient, HubRefused } from './hub-client.ts';

type TaskAnswer = { task: TaskRecord; events: ReturnType<typeof taskEventRecord>[]; why?: string };

export async function task(taskId: string, options: HubOptions & OutputOptions): Promise<void> {
  const hub = await networkHub(options);
  const path = `/api/tasks/${encodeURIComponent(taskId)}`;
  const answer = await hub.get<TaskAnswer>(path);
  const why = await whyOf(hub, path);
  sayAnswer(options, { ...answer, ...(why !== undefined && { why }) }, describe);
}

// Older hubs do not have this endpoint.
async function whyOf(hub: HubClient, path: string): Promise<string | undefined> {
  try {
    return (await hub.get<{ why?: string }>(`${path}/why`)).why;
  } catch (error) {
    if (error instanceof HubRefused && error.status === 404) return undefined;
    throw error;
  }
}

function describe({ task, events, why }: TaskAnswer): string {
  const known = facts([
    ['task', task.task_id],
    ['status', colored(task.status)],
    ['why', why],
    ['from', task.from_name],
    ['to', task.to_name],
    ['priority', task.priority],
    ['attempt', task.attempt],
    ...timestamps(task),
  ]);
  const history = table(
    ['WHEN', 'WHAT', 'BY', 'DETAIL'],
    events.map((event) => [zoned(event.created_at), event.to_status, event.actor, event.detail]),
  );
  return [
    known,
    section('content', task.content),
    ...(task.context === undefined ? [] : [section('context', task.context)]),
    ...(task.result === null ? [] : [section('result', task.result)]),
    history,
  ].join('\n\n');
}

/** A text of a peer is indented, so that none of its lines looks like a heading. */
function section(heading: string, text: string): string {
  return `${heading}\n${printable(text).replaceAll(/^/gm, '  ')}`;
}

function timestamps(task: TaskRecord): [string, Cell][] {
  const since = (moment: string | null | undefined): Cell =>
    moment === null || moment === undefined ? null : `${zoned(moment)} (${age(moment)} ago)`;
  return [
    ['delivered', since(task.delivered_at)],
    ['pushed', since(task.notified_at)],
    ['fetched', since(task.fetched_at)],
    ['acknowledged', since(task.acked_at)],
    ['started', since(task.started_at)],
    ['completed', since(task.completed_at)],
    ['expires', task.completed_at === null ? zoned(task.expires_at) : null],
  ];
}
