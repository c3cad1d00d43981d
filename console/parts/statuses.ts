// The words for states in the order the console shows them: what wants a person's eye before what does not.
import type { SessionStatus } from '../../server/domain/session.ts';
import type { Priority, TaskStatus } from '../../server/domain/task.ts';

export const AGENT_STATUSES = [
  'working',
  'idle',
  'waiting_input',
  'blocked',
  'error',
  'offline',
] as const satisfies readonly SessionStatus[];

export const TASK_STATUSES = [
  'delivered',
  'running',
  'replied',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly TaskStatus[];

export const PRIORITIES = ['high', 'normal', 'low'] as const satisfies readonly Priority[];

const CANCELLABLE: readonly TaskStatus[] = ['delivered', 'running'];
const RETRYABLE: readonly TaskStatus[] = ['failed', 'cancelled', 'expired'];

export function mayCancel(status: TaskStatus): boolean {
  return CANCELLABLE.includes(status);
}

export function mayRetry(status: TaskStatus): boolean {
  return RETRYABLE.includes(status);
}

/** The status a query names, or undefined for none and for a word that is no status. */
export function statusNamed<Status extends string>(
  statuses: readonly Status[],
  name: string | undefined,
): Status | undefined {
  return statuses.find((status) => status === name);
}
