// One row for every route and every tool: its permission pattern and its request. A route or tool without a row fails
// the matrix.
import type { Objects } from './fixture.ts';
import { NOTIFIER } from './network-data.ts';
import type { TABLES } from './patterns.ts';

export type Row = {
  pattern: keyof typeof TABLES;
  /** What `absent` means in this row. */
  absent?: string;
  /** The request members, besides path and network_id. */
  members?: (objects: Objects) => object;
  /** The path parameters, where they are not the object of that name. */
  names?: (objects: Objects) => object;
  /** Reads must not change the database, and allowed writes must. */
  writes?: true;
  /** Writes after the response is sent. */
  writesLate?: true;
  /** A read that is a heartbeat of the agent and marks the fetched items, except for a viewer. */
  marks?: true;
  /** An allowed response about a network contains its texts, which proves that a leak would be detected. */
  shows?: true;
  /** A system admin sees the data of every network. */
  isHubWide?: true;
  /** Adds the caller to the network of its object, or gives information about it. */
  admits?: true;
  /** Requested after all agents have gone offline. */
  afterOffline?: true;
};

const TASK = '404 task not found';
const MESSAGE = '404 message not found or not yours';

export const ROUTE_ROWS: Readonly<Record<string, Row>> = {
  'GET /health': { pattern: 'public' },
  'GET /health/live': { pattern: 'public' },
  'GET /health/ready': { pattern: 'public' },

  'POST /api/auth/register': {
    pattern: 'public',
    writes: true,
    members: ({ word }) => ({ username: `new_${word}`, password: 'open sesame' }),
  },
  'POST /api/auth/login': { pattern: 'public', writes: true, members: ({ login }) => login },
  'GET /api/auth/me': { pattern: 'account' },
  'PUT /api/auth/me': { pattern: 'account', writes: true, members: ({ word }) => ({ display_name: word }) },
  'POST /api/auth/password': {
    pattern: 'account',
    writes: true,
    members: ({ login }) => ({ old_password: login.password, new_password: 'open sesame' }),
  },

  'GET /api/networks': { pattern: 'account' },
  'POST /api/networks': { pattern: 'account', writes: true, members: ({ word }) => ({ name: word }) },
  'POST /api/networks/join': {
    pattern: 'an invite code',
    writes: true,
    admits: true,
    members: ({ invite_code }) => ({ invite_code }),
  },
  'POST /api/networks/preview': {
    pattern: "an invite code, in anybody's hands",
    admits: true,
    members: ({ invite_code }) => ({ invite_code }),
  },
  'GET /api/networks/:network_id': { pattern: 'a network, by its members', shows: true },
  'PUT /api/networks/:network_id': {
    pattern: 'a network, by its owner',
    writes: true,
    members: ({ word }) => ({ description: word }),
  },
  'DELETE /api/networks/:network_id': { pattern: 'a network, by its owner', writes: true, afterOffline: true },
  'GET /api/networks/:network_id/members': { pattern: 'a network, by its members', shows: true },
  'PUT /api/networks/:network_id/members/:user_id': {
    pattern: 'something of a network, by its owner',
    writes: true,
    members: () => ({ role: 'viewer' }),
  },
  'DELETE /api/networks/:network_id/members/:user_id': {
    pattern: 'something of a network, by its owner',
    writes: true,
  },
  'POST /api/networks/:network_id/invite': {
    pattern: 'a network, by its owner',
    writes: true,
    members: () => ({ role: 'member' }),
  },
  'GET /api/networks/:network_id/invites': { pattern: 'a network, by its owner' },
  'DELETE /api/networks/:network_id/invites/:invite_id': {
    pattern: 'something of a network, by its owner',
    writes: true,
  },

  'GET /api/status': { pattern: 'list of records', shows: true },
  'GET /api/status/:alias': { pattern: 'reading an object', absent: '404 session not found', shows: true },
  'GET /api/session': {
    pattern: 'reading an object',
    absent: '404 session not found',
    shows: true,
    members: ({ alias }) => ({ alias }),
  },
  'GET /api/tasks': { pattern: 'list of records', shows: true },
  'POST /api/tasks': {
    pattern: 'writing to an alias',
    writes: true,
    members: ({ alias, word }) => ({ alias, task: word }),
  },
  'GET /api/tasks/:task_id': { pattern: 'reading an object', absent: TASK, shows: true },
  'GET /api/tasks/:task_id/why': { pattern: 'reading an object', absent: TASK },
  'POST /api/tasks/:task_id/reply': {
    pattern: 'changing an object',
    absent: TASK,
    writes: true,
    members: ({ word }) => ({ text: word }),
  },
  'POST /api/tasks/:task_id/ack': { pattern: 'changing an object', absent: TASK, writes: true },
  'POST /api/tasks/:task_id/cancel': { pattern: 'changing an object', absent: TASK, writes: true },
  'POST /api/tasks/:task_id/retry': {
    pattern: 'changing an object',
    absent: TASK,
    writes: true,
    names: ({ failed_task_id }) => ({ task_id: failed_task_id }),
  },
  'POST /api/tasks/:task_id/reassign': {
    pattern: 'changing an object',
    absent: TASK,
    writes: true,
    members: ({ word }) => ({ new_alias: word }),
  },
  'GET /api/messages': { pattern: 'list of records', shows: true },
  'POST /api/messages': {
    pattern: 'writing to an alias',
    writes: true,
    members: ({ alias, word }) => ({ alias, message: word }),
  },
  'GET /api/messages/:message_id': { pattern: 'reading an object', absent: MESSAGE, shows: true },
  'POST /api/messages/read': {
    pattern: 'changing an object',
    absent: MESSAGE,
    writes: true,
    members: ({ mail_id }) => ({ message_ids: [mail_id] }),
  },
  'POST /api/broadcast': { pattern: 'broadcast', writes: true, members: ({ word }) => ({ content: word }) },
  'GET /api/nodes': { pattern: 'list of records', shows: true },
  'GET /api/completions': { pattern: 'list of records', shows: true },
  'GET /api/task_events': { pattern: 'list of records', shows: true },

  'GET /api/stats': { pattern: 'list of records' },
  'GET /api/stats/throughput': { pattern: 'list of records' },
  'GET /api/stats/figures': { pattern: 'list of records' },
  'GET /api/stats/agents': { pattern: 'list of records', shows: true },
  'GET /api/diagnostics': { pattern: 'users', isHubWide: true },
  'GET /api/audit-log': { pattern: 'audit log', isHubWide: true },
  'GET /api/users': { pattern: 'users', isHubWide: true },
  'POST /api/tokens': { pattern: 'a new token', writes: true, members: ({ word }) => ({ name: word }) },
  'GET /api/tokens': { pattern: 'account' },
  'DELETE /api/tokens/:token_id': { pattern: "one's token or notifier", writes: true },
  'GET /api/notifiers': { pattern: 'account' },
  'POST /api/notifiers': { pattern: 'account', writes: true, members: () => NOTIFIER },
  'PUT /api/notifiers/:notifier_id': {
    pattern: "one's token or notifier",
    writes: true,
    members: ({ word }) => ({ name: word }),
  },
  'DELETE /api/notifiers/:notifier_id': { pattern: "one's token or notifier", writes: true },
  'POST /api/notifiers/:notifier_id/test': { pattern: "one's token or notifier", writes: true },
  'GET /api/notifiers/:notifier_id/deliveries': { pattern: "one's token or notifier" },

  'POST /hooks/wake': { pattern: 'writing to an alias', members: ({ alias, word }) => ({ alias, session_id: word }) },
  'POST /hooks/:client': {
    pattern: 'writing to an alias',
    writesLate: true,
    names: () => ({ client: 'claude-code' }),
    members: ({ alias, word }) => ({ alias, hook_event_name: 'Stop', session_id: word }),
  },
};

/** More rows for some routes: other arguments with another pattern. */
export const MORE_ROUTE_ROWS: readonly (readonly [route: string, title: string, row: Row])[] = [
  [
    'PUT /api/networks/:network_id/members/:user_id',
    'oneself',
    { pattern: "one's own role", writes: true, members: () => ({ role: 'viewer' }) },
  ],
  ['DELETE /api/networks/:network_id/members/:user_id', 'oneself', { pattern: 'oneself in a network', writes: true }],
  ['GET /api/notifiers', 'of a network', { pattern: 'a network, by its owner' }],
  [
    'POST /api/notifiers',
    'of a network',
    { pattern: 'a network, by its owner', writes: true, members: () => NOTIFIER },
  ],
  [
    'GET /api/tasks',
    'of an addressee',
    { pattern: 'list filtered by an object', members: ({ alias }) => ({ to_name: alias }) },
  ],
  [
    'GET /api/tasks',
    'of a sender',
    { pattern: 'list filtered by an object', members: ({ alias }) => ({ from_name: alias }) },
  ],
  ['GET /api/stats', 'of the hub', { pattern: 'the whole hub', isHubWide: true, members: () => ({ scope: 'hub' }) }],
  ['GET /api/messages', 'of an inbox', { pattern: 'list filtered by an object', members: ({ alias }) => ({ alias }) }],
  [
    'GET /api/completions',
    'of an agent',
    { pattern: 'list filtered by an object', members: ({ alias }) => ({ alias }) },
  ],
  [
    'GET /api/task_events',
    'of a task',
    { pattern: 'list filtered by an object', members: ({ task_id }) => ({ task_id }) },
  ],
];

export const TOOL_ROWS: Readonly<Record<string, Row>> = {
  report_status: {
    pattern: 'tool that writes to an alias',
    writes: true,
    members: ({ alias, word, task_id }) => ({ alias, resume_id: word, status: 'working', task: task_id }),
  },
  report_completion: {
    pattern: 'tool that writes to an alias',
    writes: true,
    members: ({ alias, task_id, word }) => ({ alias, task: task_id, result: word }),
  },
  get_inbox: { pattern: 'tool that reads of an alias', marks: true, members: ({ alias }) => ({ alias }) },
  ack_inbox: {
    pattern: 'tool that changes an object',
    absent: 'message not found or not yours',
    writes: true,
    members: ({ alias, message_id }) => ({ alias, message_id }),
  },

  send_task: {
    pattern: 'tool that writes to an alias',
    writes: true,
    members: ({ alias, word }) => ({ alias, task: word }),
  },
  send_message: {
    pattern: 'tool that writes to an alias',
    writes: true,
    members: ({ alias, word }) => ({ alias, message: word }),
  },
  send_reply: {
    pattern: 'tool that changes an object',
    absent: 'task not found',
    writes: true,
    members: ({ alias, task_id, word }) => ({ alias, text: word, in_reply_to: task_id }),
  },
  send_ack: {
    pattern: 'tool that changes an object',
    absent: 'task not found',
    writes: true,
    members: ({ task_id }) => ({ task_id }),
  },
  retry_task: {
    pattern: 'tool that changes an object',
    absent: 'task not found',
    writes: true,
    members: ({ failed_task_id }) => ({ task_id: failed_task_id }),
  },
  cancel_task: {
    pattern: 'tool that changes an object',
    absent: 'task not found',
    writes: true,
    members: ({ task_id }) => ({ task_id }),
  },
  reassign_task: {
    pattern: 'tool that changes an object',
    absent: 'task not found',
    writes: true,
    members: ({ task_id, word }) => ({ task_id, new_alias: word }),
  },
  wait_task: {
    pattern: 'tool that reads an object',
    absent: 'task not found',
    shows: true,
    members: ({ task_id }) => ({ task_id, timeout_seconds: 0 }),
  },

  get_task: {
    pattern: 'tool that reads an object',
    absent: 'task not found',
    shows: true,
    members: ({ task_id }) => ({ task_id }),
  },
  list_tasks: { pattern: 'tool that lists', shows: true },
  get_all_status: { pattern: 'tool that lists', shows: true },
  get_session_status: {
    pattern: 'tool that reads an object',
    absent: 'session not found',
    shows: true,
    members: ({ alias }) => ({ alias }),
  },
  get_completions: { pattern: 'tool that lists', shows: true },

  broadcast: { pattern: 'tool that writes', writes: true, members: ({ word }) => ({ content: word }) },
};

/** More rows for some tools: a message instead of a task, and filtered lists. */
export const MORE_TOOL_ROWS: readonly (readonly [tool: string, title: string, row: Row])[] = [
  [
    'send_reply',
    'to a message',
    {
      pattern: 'tool that changes an object',
      absent: 'task not found',
      writes: true,
      members: ({ alias, message_id, word }) => ({ alias, text: word, in_reply_to: message_id }),
    },
  ],
  ['list_tasks', 'of an addressee', { pattern: 'tool that reads of an alias', members: ({ alias }) => ({ alias }) }],
  ['get_completions', 'of an agent', { pattern: 'tool that reads of an alias', members: ({ alias }) => ({ alias }) }],
];

/** The routes not in the table: long-lived streams. */
export const STREAM_ROWS: Readonly<Record<string, Row>> = {
  'GET /events': { pattern: 'stream of events' },
  'GET /events/:alias': { pattern: "stream of an agent's events" },
};
