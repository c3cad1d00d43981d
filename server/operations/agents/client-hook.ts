// client_hook: receives the hook events that coding agents send at each turn and tool call, and tells their models
// about new mail. The response comes from memory and writes follow it, so a slow disk never delays an agent.
import * as v from 'valibot';
import type { HookResponse } from '../../domain/clients/client.ts';
import { connectNameOf, HOOK_NAMES, type HookName, hookClient } from '../../domain/clients/clients.ts';
import { inOurNames, MEMBERS_OF_CLIENTS } from '../../domain/clients/hook-event.ts';
import { wrongHookClient } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { overlapWarning } from '../../domain/hooks/mention.ts';
import { type Moment, momentOf, statusAt } from '../../domain/hooks/moments.ts';
import { statusSince } from '../../domain/session.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { HookSession } from '../../events/hook-session.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { takeBytes } from '../quotas.ts';
import { publishSession, recordHeartbeats } from '../sessions/presence.ts';
import { logFailure, noticeOfMail, storePassedOn } from './mail-notice.ts';
import { inPortions } from './rename.ts';
import { type Report, takeReport, textsOf } from './report-status.ts';

const input = v.object({
  client: fields.described(fields.oneOf(HOOK_NAMES), 'the client that runs the hook'),
  alias: fields.alias,
  hook_event_name: fields.described(fields.name, 'the name that the client gives the event, such as PostToolUse'),
  session_id: fields.described(fields.name, "the client's session id"),
  stop_hook_active: v.optional(v.boolean('must be true or false')),
  cwd: v.optional(fields.attribute),
  model: v.optional(fields.attribute),
  network_id: fields.networkId,
});

/** The members of an event that are read. Others may contain whole files. */
export const EVENT_MEMBERS: readonly string[] = [...Object.keys(input.entries), ...MEMBERS_OF_CLIENTS];

/** `moment` is undefined for events that are only heartbeats. */
type HookEvent = v.InferOutput<typeof input> & { moment: Moment | undefined };

export const clientHook = operation({
  name: 'client_hook',
  summary: 'Process a hook event of a coding agent: record the status, and return a notice of new messages.',
  access: 'write',
  input,
  adapt: (raw) => {
    const client = HOOK_NAMES.find((name) => name === raw['client']);
    return client === undefined ? raw : inOurNames(hookClient(client), raw);
  },
  run: async (hub, caller, given, { store }) => {
    const event = { ...given, moment: knownMoment(given.client, given.hook_event_name) };
    const session = hub.hookSessions.of(caller.network_id, event.alias, event.session_id);
    if (event.moment !== undefined) session.arrive(event.moment, hub.clock.now(), event.stop_hook_active);
    let response: HookResponse = {};
    try {
      response = await responseTo(hub, store, session, caller.network_id, event);
    } finally {
      await storePassedOn(hub, store, session, recipientOf(caller.network_id, event));
      await takeEvent(hub, store, session, caller.network_id, event, Object.keys(response).length > 0);
    }
    return response;
  },
});

function recipientOf(networkId: string, { alias, session_id: sessionId }: HookEvent) {
  return { networkId, alias, sessionId };
}

/** Undefined for events that are only heartbeats. Refuses those of other clients, whose mail it would not announce. */
function knownMoment(client: HookName, event: string): Moment | undefined {
  const momentFor = (name: HookName) => momentOf(hookClient(name).hooks.moments, event);
  const moment = momentFor(client);
  const others = moment === undefined ? HOOK_NAMES.filter((name) => momentFor(name) !== undefined) : [];
  if (others.length > 0) throw wrongHookClient(client, event, others.join(', '));
  return moment;
}

async function responseTo(
  hub: Hub,
  store: ScopedStore,
  session: HookSession,
  networkId: string,
  event: HookEvent,
): Promise<HookResponse> {
  const { client, hook_event_name: name, moment } = event;
  const { forms, maxExtensions } = hookClient(client).hooks;
  if (moment === undefined) return {};
  const form = forms[moment];
  if (form === undefined || (moment === 'turn end' && session.extensions() >= maxExtensions)) return {};
  const mention = await noticeOfMail(store, session, recipientOf(networkId, event), moment);
  const isOverlap = moment === 'prompt' && session.takeOverlap(hub.clock.now());
  const texts = [
    ...(mention === undefined ? [] : [mention]),
    ...(isOverlap ? [overlapWarning(event.alias, connectNameOf(client) ?? client)] : []),
  ];
  return texts.length === 0 ? {} : form(texts.join(' '), name);
}

/**
 * Schedules the write for after the response. An event that reports nothing new counts as a heartbeat. Returns the
 * write if its network has too many that are not done, so that its agents send no more than the disk takes.
 */
function takeEvent(
  hub: Hub,
  store: ScopedStore,
  session: HookSession,
  networkId: string,
  event: HookEvent,
  isExtended: boolean,
): Promise<void> | undefined {
  const now = hub.clock.now();
  const report = isHidden(session, event, now) ? undefined : reportIn(event, isExtended);
  const heartbeat = { network_id: networkId, alias: event.alias, at: now };
  if (report !== undefined && session.isReportDue(JSON.stringify(report), now)) {
    return hub.hookSessions.defer(networkId, writeBehind(hub, session, writeReport(hub, store, networkId, report)));
  }
  if (!hub.heartbeats.note(heartbeat)) return undefined;
  const write = store.write((tx) => recordHeartbeats(tx, [heartbeat]));
  return hub.hookSessions.defer(networkId, writeBehind(hub, session, write));
}

/** While another session under the alias is in its turn, the agent works, although this one does not. */
function isHidden(session: HookSession, { moment }: HookEvent, now: Millis): boolean {
  return moment !== undefined && !session.isInTurn(now) && session.isOtherInTurn(now);
}

function writeBehind(hub: Hub, session: HookSession, write: Promise<void>): Promise<void> {
  return logFailure(
    hub,
    write.catch((error: unknown) => {
      session.forgetReport();
      throw error;
    }),
  );
}

type HookReport = Pick<Report, 'resume_id' | 'alias' | 'status' | 'session_id' | 'project_dir' | 'model'> & {
  agent: HookName;
};

function reportIn(event: HookEvent, isExtended: boolean): HookReport | undefined {
  const { client: agent, moment, alias, session_id, cwd: project_dir, model } = event;
  return (
    moment && {
      agent,
      resume_id: session_id,
      alias,
      status: statusAt(moment, isExtended),
      session_id,
      project_dir,
      model,
    }
  );
}

async function writeReport(hub: Hub, store: ScopedStore, networkId: string, report: HookReport): Promise<void> {
  await inPortions(hub, networkId, {}, (after) =>
    store.write((tx) => writeReportFrom(hub, tx, networkId, report, after)),
  );
}

const WRITTEN = {};

/**
 * Returns the number to continue after, as `takeReport` does, or WRITTEN. If the agent reported its session itself, the
 * session keeps its resume_id and the attributes the event does not carry; otherwise the event is its report.
 */
async function writeReportFrom(
  hub: Hub,
  tx: Transaction,
  networkId: string,
  report: HookReport,
  after: number | undefined,
): Promise<typeof WRITTEN | number> {
  const session = await sessions.findByAlias(tx, networkId, report.alias);
  if (session !== undefined && isOutdatedEnd(hub, session, report)) return WRITTEN;
  if (session === undefined || isOfHooks(session)) {
    return takeReport(hub, tx, networkId, { ...report, isOfHooks: true }, after);
  }
  const { agent, status, session_id = null, project_dir, model } = report;
  const reported: sessions.SessionWithInbox = {
    ...session,
    status,
    session_id,
    marked_offline: 0,
    last_seen_at: tx.now,
    last_progress_at: tx.now,
    status_since: statusSince(session, status, tx.now),
    last_status: null,
    agent: isOwnName(session.agent) ? session.agent : agent,
    project_dir: project_dir ?? session.project_dir,
    model: model ?? session.model,
  };
  takeBytes(hub, tx, networkId, 1, ...textsOf(reported));
  await sessions.update(tx, reported);
  publishSession(tx, reported);
  return WRITTEN;
}

/** Whether the agent has reported another name than that of a client, which it may have replaced since. */
function isOwnName(agent: string | null): boolean {
  return agent !== null && !HOOK_NAMES.some((name) => name === agent);
}

/**
 * True for a session created by hook events alone: an agent that reports uses another resume_id, or omits session_id.
 */
function isOfHooks({ resume_id, session_id }: sessions.SessionWithInbox): boolean {
  return resume_id === session_id;
}

// After /clear, or if two terminals share an alias, the end of one session may arrive after another has begun.
function isOutdatedEnd(
  { hookSessions }: Hub,
  { network_id, alias, session_id: current }: sessions.SessionWithInbox,
  { status, session_id }: HookReport,
): boolean {
  if (status !== 'offline' || current === null || current === session_id) return false;
  return !hookSessions.of(network_id, alias, current).hasEnded();
}
