// Names of agent states, task states and priorities.
import type { SessionStatus } from '../../../server/domain/session.ts';
import type { Priority, TaskStatus } from '../../../server/domain/task-status.ts';

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
