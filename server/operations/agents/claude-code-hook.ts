// claude_code_hook: receives the hook events that Claude Code sends at each turn and tool call. The response comes from
// memory and writes follow it, so a slow disk never delays an agent. The database is read only if new messages arrived.
import * as v from 'valibot';
import { type HookAnswer, hookAnswer, mayMention, statusAt } from '../../domain/claude-code-hook.ts';
import { HubError } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { HookState } from '../../events/hook-states.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { takeBytes } from '../quotas.ts';
import { publishSession, recordHeartbeats } from '../sessions/presence.ts';
import { NOT_BEGUN } from './rename.ts';
import { type Report, takeReport, textsOf } from './report-status.ts';

const input = v.object({
  alias: fields.alias,
  hook_event_name: fields.described(fields.name, 'UserPromptSubmit, PostToolUse, Stop, SessionEnd'),
  session_id: fields.described(fields.name, "Claude Code's session id"),
  stop_hook_active: v.optional(v.boolean('must be true or false'), false),
  cwd: v.optional(fields.attribute),
  model: v.optional(fields.attribute),
  network_id: fields.networkId,
});
type HookEvent = v.InferOutput<typeof input>;

export const claudeCodeHook = operation({
  name: 'claude_code_hook',
  summary: 'Process a Claude Code hook event: record the status, and return a notice of new messages.',
  access: 'write',
  input,
  run: async (hub, caller, event, { store }) => {
    const note = hub.hookStates.of(caller.network_id, event.alias);
    takeEvent(hub, store, note, caller.network_id, event);
    return mayMention(event.hook_event_name, event.stop_hook_active)
      ? noticeOfMessages(store, note, caller.network_id, event)
      : {};
  },
});

const AT_ONCE = 100;

async function noticeOfMessages(
  store: ScopedStore,
  note: HookState,
  networkId: string,
  { alias, hook_event_name: name }: HookEvent,
): Promise<HookAnswer> {
  if (!note.takeNews()) return {};
  let upTo: number | undefined;
  try {
    const { found, last } = await store.read(async (reader) => ({
      found: await messages.listUnfetched(reader, networkId, alias, note.mentionedUpTo(), AT_ONCE),
      last: await messages.lastNumber(reader, networkId, alias),
    }));
    upTo = last; // messages beyond the first hundred are covered by "100+"
    return hookAnswer(name, alias, found, found.length === AT_ONCE);
  } finally {
    note.mentioned(upTo);
  }
}

/** Schedules the write for after the response. An event that reports nothing new counts as a heartbeat. */
function takeEvent(hub: Hub, store: ScopedStore, note: HookState, networkId: string, event: HookEvent): void {
  const now = hub.clock.now();
  const report = reportIn(event);
  const heartbeat = { network_id: networkId, alias: event.alias, at: now };
  if (report !== undefined && note.isReportDue(JSON.stringify(report), now)) {
    writeBehind(hub, note, () => writeReport(hub, store, networkId, report));
  } else if (hub.heartbeats.note(heartbeat)) {
    writeBehind(hub, note, () => store.write((tx) => recordHeartbeats(tx, [heartbeat])));
  }
}

function writeBehind(hub: Hub, note: HookState, write: () => Promise<void>): void {
  write().catch((error: unknown) => {
    note.forgetReport();
    // Hook events are frequent, and their senders see these errors themselves.
    if (!(error instanceof HubError)) hub.log.error({ err: error }, 'a hook event was not written');
  });
}

type HookReport = Pick<Report, 'resume_id' | 'alias' | 'status' | 'session_id' | 'project_dir' | 'model'>;

function reportIn(event: HookEvent): HookReport | undefined {
  const { alias, session_id, cwd: project_dir, model } = event;
  const status = statusAt(event.hook_event_name);
  return status && { resume_id: session_id, alias, status, session_id, project_dir, model };
}

async function writeReport(hub: Hub, store: ScopedStore, networkId: string, report: HookReport): Promise<void> {
  for (let after: number | undefined = NOT_BEGUN; after !== undefined; ) {
    const from: number = after;
    after = await store.write((tx) => writeReportFrom(hub, tx, networkId, report, from));
  }
}

/**
 * Returns the position to continue from, as `takeReport` does. If the agent reported its session itself, the session
 * keeps its resume_id and the attributes the event does not carry; otherwise the event is its report.
 */
async function writeReportFrom(
  hub: Hub,
  tx: Transaction,
  networkId: string,
  report: HookReport,
  after: number,
): Promise<number | undefined> {
  const session = await sessions.findByAlias(tx, networkId, report.alias);
  if (session !== undefined && isOutdatedEnd(session, report)) return undefined;
  if (session === undefined || isOfHooks(session)) {
    const taken = await takeReport(hub, tx, networkId, { agent: AGENT, ...report, isProgress: true }, after);
    return typeof taken === 'object' ? undefined : taken;
  }
  const { status, session_id = null, project_dir, model } = report;
  const reported: sessions.SessionWithInbox = {
    ...session,
    status,
    session_id,
    marked_offline: 0,
    last_seen_at: tx.now,
    last_progress_at: tx.now,
    agent: session.agent ?? AGENT,
    project_dir: project_dir ?? session.project_dir,
    model: model ?? session.model,
  };
  takeBytes(hub, tx, networkId, 1, ...textsOf(reported));
  await sessions.update(tx, reported);
  publishSession(tx, reported);
  return undefined;
}

const AGENT = 'claude-code';

/**
 * True for a session created by hook events alone: an agent that reports uses another resume_id, or omits session_id.
 */
function isOfHooks({ resume_id, session_id }: sessions.SessionWithInbox): boolean {
  return resume_id === session_id;
}

// After /clear, or if two terminals share an alias, the end of one session may arrive after another has begun.
function isOutdatedEnd(session: sessions.SessionWithInbox, { status, session_id }: HookReport): boolean {
  return status === 'offline' && session.session_id !== null && session.session_id !== session_id;
}
