// The words for the states of agents and tasks, and for priorities.
import type { SessionStatus } from '../../../server/domain/session.ts';
import type { Priority, TaskStatus } from '../../../server/domain/task.ts';

export const agentStatus: Record<SessionStatus, string> = {
  working: 'Working',
  idle: 'Idle',
  waiting_input: 'Needs input',
  blocked: 'Blocked',
  error: 'Error',
  offline: 'Offline',
};

export const taskStatus: Record<TaskStatus, string> = {
  delivered: 'Delivered',
  running: 'Running',
  replied: 'Replied',
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

export const priority: Record<Priority, string> = { high: 'High', normal: 'Normal', low: 'Low' };
