// A session: the last report of an agent, and the one rule that decides whether it is online.
import { LAST_OUTPUT, LISTED_TEXT, OUTPUT_TAIL, STORED_OUTPUT } from './limits.ts';
import { firstCharacters } from './text/characters.ts';
import type { Millis } from './time/clock.ts';
import { timestamp } from './time/time.ts';

export const SESSION_STATUSES = ['working', 'idle', 'blocked', 'error', 'waiting_input', 'offline'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export const STATUS_FILTERS = ['idle', 'working', 'offline'] as const satisfies readonly SessionStatus[];

/** The optional text attributes of report_status, in the interface's order. */
export const SESSION_ATTRIBUTES = [
  'server',
  'hostname',
  'project_dir',
  'version',
  'tmux_name',
  'node_id',
  'session_id',
  'config_path',
  'node_name',
] as const;
export type SessionAttribute = (typeof SESSION_ATTRIBUTES)[number];

/** A session in the store. `status` is the last reported one; `presentStatus` is the one to show. */
export type Session = {
  network_id: string;
  resume_id: string;
  alias: string;
  status: SessionStatus;
  /** 1 after the session was marked offline for silence; any heartbeat clears it, except for a stored `offline`. */
  marked_offline: 0 | 1;
  agent: string | null;
  model: string | null;
  task: string | null;
  progress: number | null;
  score: number | null;
  output: string | null;
  channels: string | null;
  last_seen_at: Millis;
  last_progress_at: Millis;
  /** When the shown status last changed. */
  status_since: Millis;
  /** The last line of the output. */
  last_output: string | null;
  /** What the agent reported before it reported `offline` itself; null for every other status. */
  last_status: SessionStatus | null;
} & Record<SessionAttribute, string | null>;

/**
 * The rule behind "offline": a session last seen before `cutoff` is offline. For a while after a restart, sessions last
 * seen before `sparedBefore` (the restart) are exempt, because they could not report.
 */
export type Presence = { cutoff: Millis; sparedBefore: Millis };

/** A moment at which an agent was online. */
export type Heartbeat = { network_id: string; alias: string; at: Millis };

/** The last report of an agent other than `offline`, if it is known. */
function reportedStatus({ status, last_status }: Pick<Session, 'status' | 'last_status'>): SessionStatus {
  return status === 'offline' ? (last_status ?? status) : status;
}

function lastStatus(session: Pick<Session, 'status' | 'marked_offline' | 'last_status'>) {
  const reported = reportedStatus(session);
  return presentStatus(session) === 'offline' && reported !== 'offline' ? { last_status: reported } : {};
}

/** The column `last_status` after a report. */
export function statusBefore(before: Session | undefined, status: SessionStatus): SessionStatus | null {
  if (before === undefined || status !== 'offline') return null;
  return before.status === 'offline' ? before.last_status : before.status;
}

/** A self-reported offline lasts until the next report; every other session is offline once marked so. */
export function presentStatus(session: Pick<Session, 'status' | 'marked_offline'>): SessionStatus {
  return session.marked_offline === 1 ? 'offline' : session.status;
}

/** Keeps the last 4000 characters, never splitting one. */
export function storedOutput(output: string): string {
  if (output.length <= STORED_OUTPUT) return output;
  return Array.from(output.slice(-2 * STORED_OUTPUT))
    .slice(-STORED_OUTPUT)
    .join('');
}

/** The columns that a summary shows. */
export type ListedColumn = keyof SessionSummary | 'marked_offline';

/** A session in events and lists: the fields of the interface, then those the console shows. */
export type SessionSummary = {
  resume_id: string;
  alias: string;
  status: SessionStatus;
  agent: string | null;
  model: string | null;
  task: string | null;
  progress: number | null;
  last_seen_at: string;
  network_id: string;
  last_progress_at: string;
  status_since: string;
  /** What an offline session reported before it reported `offline` or no heartbeat came; absent otherwise. */
  last_status?: SessionStatus;
  /** The last line of the output. */
  last_output?: string | null;
  server?: string | null;
  hostname?: string | null;
};

export function sessionSummary(session: Pick<Session, ListedColumn>): SessionSummary {
  return {
    resume_id: session.resume_id,
    alias: session.alias,
    status: presentStatus(session),
    agent: session.agent,
    model: session.model,
    task: session.task,
    progress: session.progress,
    last_seen_at: timestamp(session.last_seen_at),
    network_id: session.network_id,
    last_progress_at: timestamp(session.last_progress_at),
    status_since: timestamp(session.status_since),
    ...lastStatus(session),
    last_output: session.last_output,
    server: session.server,
    hostname: session.hostname,
  };
}

// Colors and cursor movements of a terminal, and other control characters.
const CONTROLS = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)|[\x00-\x08\x0e-\x1f\x7f]/g;

/** A frame of a stack trace says where, not what: of JavaScript, Python, Go, Java or a compiler. */
const FRAME = /^(?:at \S.*|File ".+", line \d+.*|\S+\.\w+:\d+(?::\d+)?(?: \+0x[0-9a-f]+)?:?|\.\.\. \d+ more)$/;

/**
 * The last line that is neither empty nor, if there is another, a frame of a stack trace; of an agent that asks, from
 * the line with its question on, since options may follow it. A terminal shows only what follows the last carriage
 * return of a line.
 */
export function lastLine(output: string, status: SessionStatus): string | null {
  const lines = output
    .slice(-OUTPUT_TAIL)
    .split(/[\r\n]/)
    .reverse();
  const texts = lines.map((line) => line.replace(CONTROLS, '').trim()).filter((text) => text !== '');
  const said = (ASKING.includes(status) && questionIn(texts)) || (texts.find((text) => !FRAME.test(text)) ?? texts[0]);
  return said === undefined ? null : truncated(said, LAST_OUTPUT);
}

const ASKING: readonly SessionStatus[] = ['waiting_input', 'blocked'];
/** A question further up was asked earlier. */
const QUESTION_LINES = 12;

/** `lines` begin with the last one. */
function questionIn(lines: readonly string[]): string | undefined {
  const asks = lines.slice(0, QUESTION_LINES).findIndex((line) => /[?？؟]/.test(line));
  return asks === -1
    ? undefined
    : lines
        .slice(0, asks + 1)
        .toReversed()
        .join(' ');
}

/** When the status after a report began. */
export function statusSince(before: Session | undefined, status: SessionStatus, now: Millis): Millis {
  return before !== undefined && presentStatus(before) === status ? before.status_since : now;
}

/**
 * True if the report shows progress. A session that was offline made some: it is back. One that waited for somebody
 * before and still does has made none, and leaving is none, so that a question stays the same one.
 */
export function hasProgressed(before: Session, after: Session): boolean {
  const isWaiting = isHalted(after) && reportedStatus(before) === after.status;
  const isLeaving = after.status === 'offline';
  return (
    (presentStatus(before) !== after.status && !isWaiting && !isLeaving) ||
    (['task', 'progress', 'output'] as const).some((field) => before[field] !== after[field])
  );
}

/** Whether the agent reported that it cannot go on alone, even if it is offline by now. */
export function isHalted({ status }: Pick<Session, 'status'>): boolean {
  return status === 'waiting_input' || status === 'blocked' || status === 'error';
}

/** A session in GET /api/status, which always includes task and progress; output, server and hostname only if set. */
export function listedSession(session: Pick<Session, ListedColumn>): SessionSummary {
  const { last_output, server, hostname, ...shown } = withTextsTruncated(sessionSummary(session));
  return {
    ...shown,
    ...(last_output != null && { last_output }),
    ...(server != null && { server }),
    ...(hostname != null && { hostname }),
  };
}

function withTextsTruncated(session: SessionSummary): SessionSummary {
  const { agent, model, task, server = null, hostname = null } = session;
  return {
    ...session,
    agent: truncated(agent),
    model: truncated(model),
    task: truncated(task),
    server: truncated(server),
    hostname: truncated(hostname),
  };
}

/** Truncates a long text; the last character is `…`. */
function truncated<Text extends string | null>(text: Text, most = LISTED_TEXT): string | Text {
  if (text === null || firstCharacters(text, most) === text) return text;
  return `${firstCharacters(text, most - 1)}…`;
}

/** A session in get_all_status: without its output, and with task and progress only if set. */
export function listedAgent(session: Pick<Session, ListedColumn>) {
  const { task, progress, last_progress_at: _, last_output: __, last_status: ___, ...shown } = listedSession(session);
  return { ...shown, ...(task !== null && { task }), ...(progress !== null && { progress }) };
}

/** A session with all its fields. */
export function sessionRecord(session: Session) {
  return {
    ...sessionSummary(session),
    score: session.score,
    output: session.output,
    channels: session.channels,
    project_dir: session.project_dir,
    version: session.version,
    tmux_name: session.tmux_name,
    node_id: session.node_id,
    session_id: session.session_id,
    config_path: session.config_path,
    node_name: session.node_name,
  };
}
