// Records for tests of what needs a person.
import type { Agent, MessageRecord } from '../../../console/live/api.ts';
import type { Known, Need } from '../../../console/needs-you/need.ts';
import { findNeeds } from '../../../console/needs-you/needs.ts';
import { holdersOf } from '../../../console/needs-you/task-needs.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';

export const NOW = '2026-03-01 12:00:00';
export const at = (time: string) => `2026-03-01 ${time}`;

export function known(given: Partial<Known>): Known {
  return {
    now: Date.parse(`${NOW.replace(' ', 'T')}Z`),
    me: 'ada',
    inboxes: ['ada', 'hub'],
    seenAt: at('06:00:00'),
    agents: [],
    holders: holdersOf(given.agents ?? [], given.tasks ?? []),
    progress: new Map(),
    tasks: [],
    mail: [],
    questions: new Map(),
    isMailCut: false,
    areAllAgentsKnown: false,
    dismissed: new Set(),
    answeredAt: {},
    mayWrite: true,
    ...given,
  };
}

export const find = (given: Partial<Known>): Need[] => findNeeds(known(given));

export const keysOf = (known: Partial<Known>) => find(known).map(({ key }) => key);

export function agent(
  alias: string,
  status: Agent['status'],
  status_since = NOW,
  last_progress_at = status_since,
): Agent {
  return {
    alias,
    status,
    last_seen_at: NOW,
    last_progress_at,
    status_since,
    resume_id: `resume ${alias}`,
    agent: null,
    model: null,
    task: null,
    progress: null,
    network_id: 'net_1',
  };
}

export const stuck = (): Agent => agent('a', 'working', NOW, at('11:50:00'));

/** Silent since it was last seen. */
export const lost = (): Agent => ({
  ...agent('a', 'offline', at('11:50:00'), at('11:30:00')),
  last_status: 'working',
  last_seen_at: at('11:40:00'),
});

export function message(id: string, changes: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id,
    type: 'message',
    priority: 'normal',
    content: changes.type === 'reply' ? 'Painted it gray.' : 'Which color?',
    context: null,
    from_session: 'builder',
    created_at: NOW,
    network_id: 'net_1',
    alias: 'ada',
    acked_at: null,
    ...changes,
  };
}

export function running(from: string, until: string): TaskRecord {
  return task('t', { status: 'running', delivered_at: at(from), expires_at: at(until) });
}

export function task(task_id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    task_id,
    from_name: 'ada',
    to_name: 'builder',
    priority: 'normal',
    status: 'delivered',
    content: 'Paint the wall',
    result: null,
    created_at: NOW,
    delivered_at: NOW,
    started_at: null,
    completed_at: null,
    expires_at: '2026-03-01 23:00:00',
    network_id: 'net_1',
    attempt: 1,
    ...changes,
  };
}
