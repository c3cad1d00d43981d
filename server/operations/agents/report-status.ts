// report_status: records the status an agent reports, which is also its heartbeat.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_ATTRIBUTE, MAX_RESULT, MAX_TEXT } from '../../domain/limits.ts';
import {
  hasProgressed,
  lastLine,
  SESSION_ATTRIBUTES,
  SESSION_STATUSES,
  type Session,
  statusBefore,
  statusSince,
  storedOutput,
} from '../../domain/session.ts';
import { roughDuration, SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import { findTarget, setMoving } from '../../store/bulk/readdress.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as inboxes from '../../store/inboxes.ts';
import * as nodes from '../../store/nodes.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoomFor, makeRoomForSession, takeBytes, takeNode } from '../quotas.ts';
import { publishSession } from '../sessions/presence.ts';
import { startTask } from '../tasks/move-task.ts';
import { findNamedTask } from '../tasks/named-task.ts';
import { finishPortion, inPortions, movePortion, NOT_BEGUN, replaceSession } from './rename.ts';

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
/**
 * An event of a client's hooks shows progress even if it repeats the last report, and its end takes a question along,
 * since a person closed the client.
 */
type TakenReport = Report & { isOfHooks?: true };

export const reportStatus = operation({
  name: 'report_status',
  summary: 'Report status every 3 minutes.',
  access: 'write',
  input,
  run: (hub, { network_id: networkId }, report, { store, recipient }) =>
    inPortions(hub, networkId, { recipient }, (after) =>
      store.write((tx) => takeReport(hub, tx, networkId, report, after)),
    ),
});

/** A new session stores its texts twice: in its row and in its event. */
const COPIES = 2;

/**
 * Returns the result of report_status, or, if it is a rename that has more to move, the number to continue after. A
 * rename moves nothing while `after` is undefined.
 */
export async function takeReport(
  hub: Hub,
  tx: Transaction,
  networkId: string,
  report: TakenReport,
  after: number | undefined,
) {
  const known = await sessions.findByEither(tx, networkId, report.resume_id, report.alias);
  if (known.length === 0) await makeRoomForSession(hub, tx, networkId);
  const own = known.find(({ resume_id }) => resume_id === report.resume_id);
  // A rename that a crash interrupted is finished first; otherwise what it has moved would stay under its alias.
  const unfinished = own && (await findTarget(tx, own));
  const renamed = own?.alias === report.alias ? undefined : own;
  if (after === undefined && (renamed !== undefined || unfinished !== undefined)) return NOT_BEGUN;
  if (own !== undefined && unfinished !== undefined && unfinished !== report.alias)
    return (await finishPortion(tx, own, after ?? NOT_BEGUN)) ?? NOT_BEGUN;
  const session = sessionAfter(networkId, own, report, tx.now);
  const isFirst = after === undefined || after === NOT_BEGUN;
  if (isFirst) takeBytes(hub, tx, networkId, known.length === 0 ? COPIES : 1, ...textsOf(session));
  if (report.node_id && report.node_id !== own?.node_id) await takeNode(hub, tx, networkId, report.node_id, report);
  if (renamed !== undefined && isFirst)
    await assertInboxHasRoomFor(hub, tx, networkId, { from: renamed.alias, to: report.alias });
  const next =
    renamed &&
    (await movePortion(tx, { network_id: networkId, from: renamed.alias, to: report.alias }, after ?? NOT_BEGUN));
  if (renamed !== undefined) await setMoving(tx, renamed, next === undefined ? null : report.alias);
  if (next !== undefined) return next;
  const warning = takeoverWarning(hub, known, report, tx.now);
  await replaceSession(tx, known, session);
  if (report.status === 'working' && report.task) await startNamedTask(tx, networkId, report.alias, report.task);
  await rememberNode(tx, session);
  const pending = await inboxes.countPending(tx, networkId, report.alias);
  publishSession(tx, { ...session, pending }, renamed && report.alias);
  return {
    ok: true,
    resume_id: report.resume_id,
    alias: report.alias,
    inbox_count: pending,
    ...(warning !== undefined && { warning }),
  };
}

/** The texts in a session's event. Each event repeats all of them, even those that a report does not change. */
export function textsOf(session: Session): string[] {
  const { task, output, agent, model, channels } = session;
  return [task, output, agent, model, channels, ...SESSION_ATTRIBUTES.map((key) => session[key])].map(
    (text) => text ?? '',
  );
}

function takeoverWarning(hub: Hub, known: readonly Session[], report: Report, now: number): string | undefined {
  const holder = known.find(({ alias, resume_id }) => alias === report.alias && resume_id !== report.resume_id);
  if (holder === undefined) return undefined;
  const seenAt = Math.max(holder.last_seen_at, hub.heartbeats.latest(holder.network_id, holder.alias, now) ?? 0);
  const wasThere = now - seenAt <= hub.settings.offline_after_seconds * SECOND_MS;
  return wasThere
    ? `alias was in use by resume_id ${holder.resume_id} seen ${roughDuration(now - seenAt)} ago`
    : undefined;
}

// Fields that a report omits keep their value; an empty string clears the task and the channels.
function sessionAfter(networkId: string, before: Session | undefined, report: TakenReport, now: number): Session {
  const kept = <Key extends 'agent' | 'model' | 'progress' | 'score'>(key: Key) => report[key] ?? before?.[key] ?? null;
  const clearable = (key: 'task' | 'channels') =>
    report[key] === undefined ? (before?.[key] ?? null) : report[key] || null;
  const attributes = Object.fromEntries(SESSION_ATTRIBUTES.map((key) => [key, report[key] ?? before?.[key] ?? null]));
  const session: Session = {
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
    last_output: report.output === undefined ? (before?.last_output ?? null) : lastLine(report.output, report.status),
    last_seen_at: now,
    last_progress_at: now,
    status_since: statusSince(before, report.status, now),
    last_status: report.isOfHooks ? null : statusBefore(before, report.status),
  };
  return report.isOfHooks || before === undefined || hasProgressed(before, session)
    ? session
    : { ...session, last_progress_at: before.last_progress_at };
}

const NO_ATTRIBUTES = {
  server: null,
  hostname: null,
  project_dir: null,
  version: null,
  tmux_name: null,
  node_id: null,
  session_id: null,
  config_path: null,
  node_name: null,
} as const satisfies Record<(typeof SESSION_ATTRIBUTES)[number], null>;

// The node record outlives the session that reported it.
async function rememberNode(tx: Transaction, session: Session): Promise<void> {
  if (session.node_id === null || session.node_id === '') return;
  await nodes.upsert(tx, { ...session, node_id: session.node_id, first_seen_at: tx.now });
}

async function startNamedTask(tx: Transaction, networkId: string, alias: string, words: string): Promise<void> {
  const task = await findNamedTask(tx, networkId, alias, words);
  if (task?.status === 'delivered') await startTask(tx, task, alias);
}
