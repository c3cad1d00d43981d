// report_status: what an agent says of itself, and its heartbeat.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_ATTRIBUTE, MAX_RESULT, MAX_TEXT } from '../../domain/limits.ts';
import { SESSION_ATTRIBUTES, SESSION_STATUSES, storedOutput, type Session } from '../../domain/session.ts';
import { roughDuration, SECOND_MS } from '../../domain/time.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/database.ts';
import * as inboxes from '../../store/inboxes.ts';
import * as messages from '../../store/messages.ts';
import * as nodes from '../../store/nodes.ts';
import * as sessions from '../../store/sessions.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { publishTask, startTask } from '../tasks/move-task.ts';
import { findNamedTask } from '../tasks/named-task.ts';
import { publishSession } from '../time-passes.ts';

const attribute = v.optional(fields.attribute);

const input = v.object({
  resume_id: fields.described(fields.name, 'stable session id'),
  alias: fields.alias,
  status: fields.oneOf(SESSION_STATUSES),
  task: v.optional(fields.text(MAX_TEXT)),
  output: v.optional(fields.text(MAX_RESULT)),
  score: v.optional(fields.numberFrom(1, 10)),
  progress: v.optional(fields.numberFrom(0, 100)),
  agent: attribute,
  model: attribute,
  channels: v.optional(fields.described(fields.jsonArray(MAX_ATTRIBUTE), 'JSON array')),
  server: attribute,
  hostname: attribute,
  project_dir: attribute,
  version: attribute,
  tmux_name: attribute,
  node_id: attribute,
  session_id: attribute,
  config_path: attribute,
  node_name: attribute,
  network_id: fields.networkId,
});
export type Report = v.InferOutput<typeof input>;

export const reportStatus = operation({
  name: 'report_status',
  summary: 'Report status every 3 minutes.',
  access: 'write',
  input,
  run: (hub, caller, report) => hub.store.write((tx) => takeReport(hub, tx, caller.network_id, report)),
});

/** As report_status answers. */
export async function takeReport(hub: Hub, tx: Transaction, networkId: string, report: Report) {
  const known = await sessions.findByEither(tx, networkId, report.resume_id, report.alias);
  const warning = takeoverWarning(hub, known, report, tx.now);
  const session = sessionAfter(networkId, known.find(({ resume_id }) => resume_id === report.resume_id), report, tx.now);
  await replace(tx, known, session);
  if (report.status === 'working' && report.task) await startNamedTask(tx, networkId, report.alias, report.task);
  await rememberNode(tx, session);
  const pending = await inboxes.countPending(tx, networkId, report.alias);
  const isRenamed = known.some(({ resume_id, alias }) => resume_id === report.resume_id && alias !== report.alias);
  publishSession(tx, { ...session, pending }, isRenamed ? report.alias : undefined);
  return {
    ok: true, resume_id: report.resume_id, alias: report.alias, inbox_count: pending,
    ...(warning !== undefined && { warning }),
  };
}

function takeoverWarning(hub: Hub, known: readonly Session[], report: Report, now: number): string | undefined {
  const holder = known.find(({ alias, resume_id }) => alias === report.alias && resume_id !== report.resume_id);
  if (holder === undefined) return undefined;
  const seenAt = Math.max(holder.last_seen_at, hub.signs.latest(holder.network_id, holder.alias, now) ?? 0);
  const wasThere = now - seenAt <= hub.settings.offline_after_seconds * SECOND_MS;
  return wasThere ? `alias was in use by resume_id ${holder.resume_id} seen ${roughDuration(now - seenAt)} ago` : undefined;
}

// What a report leaves out keeps its value; empty text clears the task and the channels.
function sessionAfter(networkId: string, before: Session | undefined, report: Report, now: number): Session {
  const kept = <Key extends 'agent' | 'model' | 'progress' | 'score'>(key: Key) => report[key] ?? before?.[key] ?? null;
  const clearable = (key: 'task' | 'channels') => (report[key] === undefined ? (before?.[key] ?? null) : report[key] || null);
  const attributes = Object.fromEntries(SESSION_ATTRIBUTES.map((key) => [key, report[key] ?? before?.[key] ?? null]));
  return {
    ...NO_ATTRIBUTES,
    ...attributes,
    network_id: networkId,
    resume_id: report.resume_id,
    alias: report.alias,
    status: report.status,
    marked_offline: 0,
    agent: kept('agent'),
    model: kept('model'),
    channels: clearable('channels'),
    progress: kept('progress'),
    score: kept('score'),
    task: clearable('task'),
    output: report.output === undefined ? (before?.output ?? null) : storedOutput(report.output),
    last_seen_at: now,
  };
}

const NO_ATTRIBUTES = {
  server: null, hostname: null, project_dir: null, version: null, tmux_name: null, node_id: null, session_id: null,
  config_path: null, node_name: null,
} as const satisfies Record<(typeof SESSION_ATTRIBUTES)[number], null>;

// A new resume_id under a known alias replaces the record; a new alias under a known resume_id renames it, replaces
// whoever held that alias, and takes along what waits under the old one.
async function replace(tx: Transaction, known: readonly Session[], session: Session): Promise<void> {
  const own = known.find(({ resume_id }) => resume_id === session.resume_id);
  const holder = known.find(({ alias, resume_id }) => alias === session.alias && resume_id !== session.resume_id);
  if (holder !== undefined) await sessions.remove(tx, holder);
  if (own === undefined) return sessions.insert(tx, session);
  await sessions.update(tx, session);
  if (own.alias !== session.alias) await takeAlong(tx, session.network_id, own.alias, session.alias);
}

async function takeAlong(tx: Transaction, networkId: string, oldAlias: string, newAlias: string): Promise<void> {
  await messages.readdressPending(tx, networkId, oldAlias, newAlias);
  for (const task of await tasks.readdressLive(tx, networkId, oldAlias, newAlias)) publishTask(tx, task);
  if (oldAlias !== ANYBODY) await renameSender(tx, networkId, oldAlias, newAlias);
}

/** What senders are called who give no name: what they sent is not one agent's. */
const ANYBODY = 'hub';

async function renameSender(tx: Transaction, networkId: string, oldAlias: string, newAlias: string): Promise<void> {
  const sent = await tasks.renameSender(tx, networkId, oldAlias, newAlias);
  if (sent.length > 0) await messages.renameSender(tx, networkId, newAlias);
  for (const task of sent) publishTask(tx, task);
}

// What a node is outlives the session that reported it.
async function rememberNode(tx: Transaction, session: Session): Promise<void> {
  if (session.node_id === null || session.node_id === '') return;
  await nodes.upsert(tx, { ...session, node_id: session.node_id, first_seen_at: tx.now });
}

async function startNamedTask(tx: Transaction, networkId: string, alias: string, words: string): Promise<void> {
  const task = await findNamedTask(tx, networkId, alias, words);
  if (task?.status === 'delivered') await startTask(tx, task, alias);
}
