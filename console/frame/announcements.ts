// Announces changes to screen readers, one at a time and rate-limited, because a busy hub changes too often.
import { signal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import { agents, agentsBeyond } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';

const PAUSE_MS = 3_000;

export const announcement = signal('');

let latest: string | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;

/** Announces immediately, or after the pause unless a newer announcement arrives. */
export function announce(text: string): void {
  if (pause !== undefined) {
    latest = text;
    return;
  }
  announcement.value = text;
  pause = setTimeout(endPause, PAUSE_MS);
}

function endPause(): void {
  pause = undefined;
  if (latest !== undefined) announce(latest);
  latest = undefined;
}

export function announceAgent({ alias, status }: Agent): void {
  const before = agents.value?.find((agent) => agent.alias === alias)?.status;
  if (before === undefined && agentsBeyond.value !== null) return; // it may be one of those that are not here
  if (before !== status) announce(words.value.labelled(alias, words.value.agentStatus[status]));
}

export function announceTask({ task_id, to_name, status }: TaskRecord): void {
  const before = taskKnown(task_id)?.status;
  if (before !== undefined && before !== status)
    announce(words.value.labelled(words.value.taskOf(to_name), words.value.taskStatus[status]));
}
