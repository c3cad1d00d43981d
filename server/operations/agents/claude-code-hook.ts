// claude_code_hook: what Claude Code tells of itself, unasked, at each turn and tool call. It is answered from memory;
// what is to be written follows the answer, so that a slow disk never holds up an agent. The database is read only when
// mail came.
import * as v from 'valibot';
import { type HookAnswer, hookAnswer, mayMention, statusAt } from '../../domain/claude-code-hook.ts';
import { HubError } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { HookState } from '../../events/hook-states.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { takeBytes } from '../quotas.ts';
import { markSeen, publishSession } from '../sessions/presence.ts';
import { type Report, takeReport, textsOf } from './report-status.ts';

const input = v.object({
  alias: fields.alias,
  hook_event_name: fields.described(fields.name, 'UserPromptSubmit, PostToolUse, Stop, SessionEnd'),
  session_id: fields.described(fields.name, "Claude Code's own"),
  stop_hook_active: v.optional(v.boolean('must be true or false'), false),
  cwd: v.optional(fields.attribute),
  model: v.optional(fields.attribute),
  network_id: fields.networkId,
});
type HookEvent = v.InferOutput<typeof input>;

export const claudeCodeHook = operation({
  name: 'claude_code_hook',
  summary: 'Take a hook event of Claude Code: its status, and word of new mail back.',
  access: 'write',
  input,
  run: async (hub, caller, event) => {
    const note = hub.hookStates.of(caller.network_id, event.alias);
    takeEvent(hub, note, caller.network_id, event);
    return mayMention(event.hook_event_name, event.stop_hook_active)
      ? tellOfMail(hub, note, caller.network_id, event)
      : {};
  },
});

const AT_ONCE = 100;

async function tellOfMail(
  hub: Hub,
  note: HookState,
  networkId: string,
  { alias, hook_event_name: name }: HookEvent,
): Promise<HookAnswer> {
  if (!note.takeNews()) return {};
  let upTo: number | undefined;
  try {
    const { found, last } = await hub.store.read(async (reader) => ({
      found: await messages.listUnfetched(reader, networkId, alias, note.mentionedUpTo(), AT_ONCE),
      last: await messages.lastNumber(reader, networkId, alias),
    }));
    upTo = last; // those beyond the first hundred were mentioned as well: "100+"
    return hookAnswer(name, alias, found, found.length === AT_ONCE);
  } finally {
    note.mentioned(upTo);
  }
}

/** Writes what the event says, behind the answer; one that says nothing new is a sign of life. */
function takeEvent(hub: Hub, note: HookState, networkId: string, event: HookEvent): void {
  const now = hub.clock.now();
  const report = reportIn(event);
  const sign = { network_id: networkId, alias: event.alias, at: now };
  if (report !== undefined && note.isReportDue(JSON.stringify(report), now)) {
    writeBehind(hub, note, () => writeReport(hub, networkId, report));
  } else if (hub.heartbeats.note(sign)) {
    writeBehind(hub, note, () => hub.store.write((tx) => markSeen(tx, [sign])));
  }
}

function writeBehind(hub: Hub, note: HookState, write: () => Promise<void>): void {
  write().catch((error: unknown) => {
    note.forgetReport();
    if (!(error instanceof HubError)) hub.log.error({ err: error }, 'what a hook event said was not written'); // hooks come by the dozen, and sends are told
  });
}

type HookReport = Pick<Report, 'resume_id' | 'alias' | 'status' | 'session_id' | 'project_dir' | 'model'>;

function reportIn(event: HookEvent): HookReport | undefined {
  const { alias, session_id, cwd: project_dir, model } = event;
  const status = statusAt(event.hook_event_name);
  return status && { resume_id: session_id, alias, status, session_id, project_dir, model };
}

async function writeReport(hub: Hub, networkId: string, report: HookReport): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    after = await hub.store.write((tx) => writeReportFrom(hub, tx, networkId, report, from));
  }
}

/**
 * Returns where to go on, as `takeReport` does. A session that its agent reported itself keeps its resume_id and what
 * else it said; otherwise this is its report.
 */
async function writeReportFrom(
  hub: Hub,
  tx: Transaction,
  networkId: string,
  report: HookReport,
  after: number,
): Promise<number | undefined> {
  const session = await sessions.findByAlias(tx, networkId, report.alias);
  if (session !== undefined && isOver(session, report)) return undefined;
  if (session === undefined || isOfHooks(session)) {
    const taken = await takeReport(hub, tx, networkId, { agent: AGENT, ...report }, after);
    return typeof taken === 'object' ? undefined : taken;
  }
  const { status, session_id = null, project_dir, model } = report;
  const reported: sessions.SessionWithInbox = {
    ...session,
    status,
    session_id,
    marked_offline: 0,
    last_seen_at: tx.now,
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

/** Made by hook events alone: an agent that reports chooses another resume_id, or leaves session_id out. */
function isOfHooks({ resume_id, session_id }: sessions.SessionWithInbox): boolean {
  return resume_id === session_id;
}

// After /clear, or where two terminals share an alias, the end of one session comes when another has begun.
function isOver(session: sessions.SessionWithInbox, { status, session_id }: HookReport): boolean {
  return status === 'offline' && session.session_id !== null && session.session_id !== session_id;
}
