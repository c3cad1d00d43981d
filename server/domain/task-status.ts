// The statuses of a task and the table of its transitions. Every check in the hub, the CLI and the console reads this
// table.

export const TASK_STATUSES = ['delivered', 'running', 'replied', 'failed', 'cancelled', 'expired'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const OUTCOMES = ['replied', 'failed', 'cancelled'] as const satisfies readonly TaskStatus[];
export type Outcome = (typeof OUTCOMES)[number];

export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

const LIVE = ['delivered', 'running'] as const satisfies readonly TaskStatus[];
const RETRYABLE = ['failed', 'cancelled', 'expired'] as const satisfies readonly TaskStatus[];

type Move = { from: readonly TaskStatus[]; to: readonly TaskStatus[] };

/** The statuses in which each verb is allowed, and those it leads to. */
export const MOVES = {
  start: { from: ['delivered'], to: ['running'] },
  reply: { from: LIVE, to: OUTCOMES },
  complete: { from: LIVE, to: ['replied'] },
  cancel: { from: LIVE, to: ['cancelled'] },
  reassign: { from: LIVE, to: ['delivered'] },
  retry: { from: RETRYABLE, to: ['delivered'] },
  expire: { from: LIVE, to: ['expired'] },
} as const satisfies Record<string, Move>;

export type Verb = keyof typeof MOVES;

export function isLive(task: { status: TaskStatus }): boolean {
  return LIVE.some((status) => status === task.status);
}

export function mayMove(task: { status: TaskStatus }, verb: Verb): boolean {
  return MOVES[verb].from.some((status) => status === task.status);
}
