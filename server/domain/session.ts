// A session: what an agent last said of itself, and the one rule that tells whether it is still there.
import { LISTED_TEXT, STORED_OUTPUT } from './limits.ts';
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

/** A session as the store holds it. `status` is the one last reported; `presentStatus` is the one to show. */
export type Session = {
  network_id: string;
  resume_id: string;
  alias: string;
  status: SessionStatus;
  /** 1 once silence was written down; any sign of life but a stored `offline` clears it. */
  marked_offline: 0 | 1;
  agent: string | null;
  model: string | null;
  task: string | null;
  progress: number | null;
  score: number | null;
  output: string | null;
  channels: string | null;
  last_seen_at: Millis;
} & Record<SessionAttribute, string | null>;

/**
 * The rule behind "offline": whoever was last seen before `cutoff` is gone, except, for a while after a restart, those
 * last seen before `sparedBefore` (the restart), who have not had their chance to report.
 */
export type Presence = { cutoff: Millis; sparedBefore: Millis };

/** A moment at which an agent was there. */
export type Heartbeat = { network_id: string; alias: string; at: Millis };

/** A self-reported offline lasts until the next report; silence, once written down, makes everybody else offline. */
export function presentStatus(session: Pick<Session, 'status' | 'marked_offline'>): SessionStatus {
  return session.marked_offline === 1 ? 'offline' : session.status;
}

/** The last 4000 characters, never half a character. */
export function storedOutput(output: string): string {
  if (output.length <= STORED_OUTPUT) return output;
  return Array.from(output.slice(-2 * STORED_OUTPUT))
    .slice(-STORED_OUTPUT)
    .join('');
}

/** The columns that a summary shows. */
export type ListedColumn = Exclude<keyof SessionSummary, 'last_seen_at'> | 'marked_offline' | 'last_seen_at';

/** What is told of a session: the interface's fields, then what a person watching wants to see. */
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
    server: session.server,
    hostname: session.hostname,
  };
}

/**
 * A session in the list of GET /api/status, which shows task and progress; what it does not show is there only with a
 * value.
 */
export function listedSession(session: Pick<Session, ListedColumn>): SessionSummary {
  const { server, hostname, ...shown } = withTextsCut(sessionSummary(session));
  return { ...shown, ...(server != null && { server }), ...(hostname != null && { hostname }) };
}

function withTextsCut(session: SessionSummary): SessionSummary {
  const { agent, model, task, server = null, hostname = null } = session;
  return {
    ...session,
    agent: cut(agent),
    model: cut(model),
    task: cut(task),
    server: cut(server),
    hostname: cut(hostname),
  };
}

/** The first characters of a long text, the last of them `…`. */
function cut(text: string | null): string | null {
  if (text === null || text.length <= LISTED_TEXT) return text;
  const characters = Array.from(text.slice(0, 2 * LISTED_TEXT + 1)); // more than are shown, whatever they are
  return characters.length <= LISTED_TEXT ? text : `${characters.slice(0, LISTED_TEXT - 1).join('')}…`;
}

/** A session in the list of get_all_status, which shows neither. */
export function listedAgent(session: Pick<Session, ListedColumn>) {
  const { task, progress, ...shown } = listedSession(session);
  return { ...shown, ...(task !== null && { task }), ...(progress !== null && { progress }) };
}

/** A session in full. */
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
