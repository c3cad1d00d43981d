// The records of the interface, field by field, with the additions of SPECIFICATION.md (optional where empty fields are
// omitted). Shapes are strict: an undocumented field is an error.
import * as v from 'valibot';

const text = v.string();
const flag = v.literal(true);
const whole = v.pipe(v.number(), v.integer());
export const timestamp = v.pipe(text, v.regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/));
const noTimestamp = v.nullable(timestamp);

export const SESSION_STATUS = v.picklist(['working', 'idle', 'blocked', 'error', 'waiting_input', 'offline']);
export const TASK_STATUS = v.picklist(['replied', 'running', 'delivered', 'failed', 'cancelled', 'expired']);
const priority = v.picklist(['high', 'normal', 'low']);
const sessionStatus = v.union([SESSION_STATUS, v.literal('unknown')]);

export function ok<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.strictObject({ ok: flag, ...entries });
}

/** A list as defined in SPECIFICATION.md §7, with the other members of the response. */
export function list<Noun extends string>(noun: Noun, item: v.GenericSchema, more: v.ObjectEntries = {}) {
  return ok({ [noun]: v.array(item), count: whole, next_cursor: v.optional(text), ...more });
}

export const USER = v.strictObject({
  user_id: text,
  username: text,
  display_name: text,
  role: v.picklist(['admin', 'user']),
});

const network = {
  network_id: text,
  network_name: text,
  owner_id: text,
  member_role: v.nullable(v.picklist(['owner', 'member', 'viewer'])),
  visibility: v.literal('private'),
  max_members: whole,
  created_at: timestamp,
};
export const NETWORK = v.strictObject(network);
export const NETWORK_IN_FULL = v.strictObject({ ...network, description: text, member_count: whole });

const session = {
  resume_id: text,
  alias: text,
  status: SESSION_STATUS,
  agent: v.nullable(text),
  model: v.nullable(text),
  last_seen_at: timestamp,
  task: v.nullable(text),
  progress: v.nullable(v.number()),
  network_id: text,
  server: v.nullable(text),
  hostname: v.nullable(text),
};
const host = { server: v.optional(text), hostname: v.optional(text) };
const progress = {
  last_progress_at: timestamp,
  status_since: timestamp,
  last_status: v.optional(SESSION_STATUS),
  last_output: v.nullable(text),
};
/** In get_all_status, which omits tasks and progress. */
export const SESSION = v.strictObject({
  ...session,
  status_since: timestamp,
  ...host,
  task: v.optional(text),
  progress: v.optional(v.number()),
});
export const SESSION_WITH_INBOX = v.strictObject({
  ...session,
  ...host,
  ...progress,
  last_output: v.optional(text),
  inbox_count: whole,
});
export const SESSION_IN_FULL = v.strictObject({
  ...session,
  ...progress,
  project_dir: v.nullable(text),
  version: v.nullable(text),
  tmux_name: v.nullable(text),
  node_id: v.nullable(text),
  session_id: v.nullable(text),
  config_path: v.nullable(text),
  node_name: v.nullable(text),
  channels: v.nullable(text),
  output: v.nullable(text),
  score: v.nullable(v.number()),
});

const task = {
  task_id: text,
  from_name: text,
  to_name: text,
  priority,
  status: TASK_STATUS,
  content: text,
  result: v.nullable(text),
  created_at: timestamp,
  delivered_at: timestamp,
  started_at: noTimestamp,
  completed_at: noTimestamp,
  expires_at: timestamp,
  network_id: text,
  attempt: whole,
  context: v.optional(text),
  notified_at: v.optional(timestamp),
  fetched_at: v.optional(timestamp),
  acked_at: v.optional(timestamp),
};
export const TASK = v.strictObject(task);

const message = {
  id: text,
  type: v.picklist(['task', 'message', 'reply', 'broadcast', 'cancel']),
  priority,
  content: text,
  context: v.nullable(text),
  from_session: text,
  created_at: timestamp,
  network_id: text,
  task_id: v.optional(text),
  attempt: v.optional(whole),
  in_reply_to: v.optional(text),
  status: v.optional(v.picklist(['replied', 'failed', 'cancelled'])),
};
export const MESSAGE = v.strictObject(message);
export const MESSAGE_IN_LIST = v.strictObject({
  ...message,
  alias: text,
  acked_at: noTimestamp,
  withdrawn_at: v.optional(timestamp),
});

const completion = { id: text, task: text, result: text, completed_at: timestamp };
export const COMPLETION = v.strictObject(completion);
export const COMPLETION_IN_LIST = v.strictObject({
  ...completion,
  alias: text,
  artifacts: v.optional(v.array(text)),
  score: v.optional(v.number()),
  duration_minutes: v.optional(v.number()),
  network_id: text,
  task_id: v.optional(text),
});

export const NODE = v.strictObject({
  node_id: text,
  node_name: v.nullable(text),
  alias: text,
  server: v.nullable(text),
  hostname: v.nullable(text),
  project_dir: v.nullable(text),
  version: v.nullable(text),
  agent: v.nullable(text),
  model: v.nullable(text),
  network_id: text,
  first_seen_at: timestamp,
  last_seen_at: timestamp,
});
export const TASK_EVENT = v.strictObject({
  id: text,
  task_id: text,
  from_status: v.nullable(TASK_STATUS),
  to_status: TASK_STATUS,
  actor: text,
  detail: v.nullable(text),
  created_at: timestamp,
  created_at_ms: whole,
});
const moment = v.nullable(whole);
export const TASK_MOMENTS = v.strictObject({
  delivered_at: whole,
  notified_at: moment,
  fetched_at: moment,
  acked_at: moment,
  started_at: moment,
  completed_at: moment,
});
export const AUDIT_ENTRY = v.strictObject({
  id: text,
  actor: text,
  action: text,
  target_type: text,
  target_id: v.nullable(text),
  detail: v.nullable(text),
  ip: v.nullable(text),
  network_id: v.nullable(text),
  created_at: timestamp,
});
export const TOKEN = v.strictObject({
  token_id: text,
  name: text,
  kind: v.picklist(['user', 'network']),
  network_id: v.nullable(text),
  created_at: timestamp,
  last_used_at: noTimestamp,
  expires_at: noTimestamp,
  current: v.optional(flag),
});
export const MEMBER = v.strictObject({
  user_id: text,
  username: text,
  display_name: text,
  role: v.picklist(['owner', 'member', 'viewer']),
  joined_at: timestamp,
});
export const INVITE = v.strictObject({
  invite_id: text,
  role: v.picklist(['member', 'viewer']),
  max_uses: whole,
  uses: whole,
  created_at: timestamp,
  expires_at: timestamp,
});

export const STATUS_COUNTS = v.array(v.strictObject({ status: text, count: whole }));
export const SESSION_COUNTS = v.strictObject({ total: whole, online: whole, offline: whole });
export const TASK_COUNTS = v.strictObject({
  total: whole,
  replied: whole,
  running: whole,
  delivered: whole,
  failed: whole,
  cancelled: whole,
  expired: whole,
});

export const SENT = { message_id: text, session_status: sessionStatus, warning: v.optional(text) };
export const USER_TOKEN = v.pipe(text, v.regex(/^utok_[0-9A-Za-z]{36}$/));
export const NETWORK_TOKEN = v.pipe(text, v.regex(/^ntok_[0-9A-Za-z]{36}$/));
export { flag, text, whole };
