// Finds what needs a person, for notifiers: in the events since a reader's position, a few at a time, and in the tasks
// that wait. Nothing here is part of a send: the rows that a send writes anyway are read shortly after it.
import { EXPIRING_MIN_TTL_SECONDS, EXPIRING_MS } from '../../domain/limits.ts';
import type { SessionStatus } from '../../domain/session.ts';
import type { TaskStatus } from '../../domain/task-status.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { inEach } from '../engine/sql.ts';
import type { Reader, Transaction } from '../engine/transaction.ts';
import { TO_STATUS } from '../task-events.ts';

/** How many characters of a text are read. */
export const SHOWN = 500;

/** The number of the latest event. */
export async function latestEvent(reader: Reader): Promise<number> {
  const found = await reader.first<{ latest: number }>(
    inEach(({ latestEvent: latest }) => `SELECT ${latest} AS latest`),
  );
  return found?.latest ?? 0;
}

export async function findPosition(reader: Reader, name: string): Promise<number | undefined> {
  const found = await reader.first<{ position: number }>('SELECT position FROM notifier_readers WHERE reader = ?', [
    name,
  ]);
  return found?.position;
}

export async function listReaders(reader: Reader): Promise<string[]> {
  const found = await reader.all<{ reader: string }>("SELECT reader FROM notifier_readers WHERE reader >= ''");
  return found.map((row) => row.reader);
}

/** A new reader starts with the events after it. */
export async function startAtLatest(tx: Transaction, name: string): Promise<void> {
  if ((await findPosition(tx, name)) === undefined) await setPosition(tx, name, await latestEvent(tx));
}

export async function setPosition(tx: Transaction, name: string, position: number): Promise<void> {
  await tx.run(
    'INSERT INTO notifier_readers (reader, position) VALUES (?, ?) ON CONFLICT (reader) DO UPDATE SET position = excluded.position',
    [name, position],
  );
}

export async function forgetPosition(tx: Transaction, name: string): Promise<void> {
  await tx.run('DELETE FROM notifier_readers WHERE reader = ?', [name]);
}

/** A range of events, and the numbers of the networks that have notifiers, as a JSON array. */
export type Range = { after: number; upTo: number; networks: string };

/** `is_lost` is 1 for an agent that went silent while it worked. */
export type AgentStatus = { network_seq: number; alias: string; status: SessionStatus; at: Millis; is_lost: 0 | 1 };

/** The last status of each agent that reported within the range. Silence ends none of those that need somebody. */
export async function listStatuses(reader: Reader, { after, upTo, networks }: Range): Promise<AgentStatus[]> {
  const rows = await reader.all<AgentStatus>(
    inEach(
      (
        sql,
      ) => `SELECT network_seq, ${sql.field('data', 'alias')} AS alias, ${sql.field('data', 'status')} AS status, created_at AS at,
       CASE WHEN ${sql.field('data', 'last_status')} = 'working'
         AND ${sql.field('data', 'status_since')} > ${sql.field('data', 'last_seen_at')} THEN 1 ELSE 0 END AS is_lost
     FROM events WHERE seq > ? AND seq <= ? AND name = 'session' AND network_seq IN ${sql.numbers('?')}
       AND coalesce(${sql.field('data', 'last_status')}, '') NOT IN ('waiting_input', 'blocked', 'error') ORDER BY seq`,
    ),
    [after, upTo, networks],
  );
  return [...new Map(rows.map((row) => [`${row.network_seq} ${row.alias}`, row])).values()];
}

/** The end of a range that leaves out an agent which has waited for input only since `recent`, and all that follows. */
export async function endBeforeWaiting(
  reader: Reader,
  { after, upTo, networks }: Range,
  recent: Millis,
): Promise<number> {
  const found = await reader.first<{ first: number | null }>(
    inEach(
      (
        sql,
      ) => `SELECT min(seq) AS first FROM events WHERE seq > ? AND seq <= ? AND name = 'session' AND network_seq IN ${sql.numbers('?')}
       AND ${sql.field('data', 'status')} = 'waiting_input' AND created_at > ?`,
    ),
    [after, upTo, networks, recent],
  );
  return found?.first == null ? upTo : found.first - 1;
}

export type HaltedAgent = Pick<AgentStatus, 'network_seq' | 'alias' | 'status'>;

/** Which of these agents were halted at the last check. */
export function listHalted(reader: Reader, agents: readonly HaltedAgent[]): Promise<HaltedAgent[]> {
  return reader.all(
    inEach(
      ({ pairs }) => `SELECT s.network_seq, s.alias, s.status FROM ${pairs('?', 'text')} p CROSS JOIN stuck_agents s
        WHERE s.network_seq = p.first AND s.alias = p.second`,
    ),
    [JSON.stringify(agents.map(({ network_seq, alias }) => [network_seq, alias]))],
  );
}

export async function markHalted(tx: Transaction, { network_seq, alias, status }: HaltedAgent): Promise<void> {
  await tx.run(
    `INSERT INTO stuck_agents (network_seq, alias, status) VALUES (?, ?, ?)
     ON CONFLICT (network_seq, alias) DO UPDATE SET status = excluded.status`,
    [network_seq, alias, status],
  );
}

export async function markWell(tx: Transaction, { network_seq, alias }: HaltedAgent): Promise<void> {
  await tx.run('DELETE FROM stuck_agents WHERE network_seq = ? AND alias = ?', [network_seq, alias]);
}

export async function markAllWell(tx: Transaction, networkSeq: number): Promise<void> {
  await tx.run('DELETE FROM stuck_agents WHERE network_seq = ?', [networkSeq]);
}

/** `reported` is the status before it went silent or reported `offline`. */
export type AgentText = { status: SessionStatus; reported: SessionStatus; task: string | null; output: string | null };

/** The status, task and output of an agent that still exists. */
export function findAgent(reader: Reader, networkSeq: number, alias: string): Promise<AgentText | undefined> {
  return reader.first(
    inEach(
      (sql) => `SELECT CASE WHEN s.marked_offline = 1 THEN 'offline' ELSE s.status END AS status,
       CASE s.status WHEN 'offline' THEN coalesce(s.last_status, 'offline') ELSE s.status END AS reported,
       substr(s.task, 1, ${SHOWN}) AS task, ${sql.last('s.output', SHOWN)} AS output FROM sessions s WHERE s.network_seq = ? AND s.alias = ?`,
    ),
    [networkSeq, alias],
  );
}

// The inbox of a person, or of `hub`: no agent reports under the name.
const IS_PERSONS = (table: string, name: string) =>
  `NOT EXISTS (SELECT 1 FROM sessions s WHERE s.network_seq = ${table}.network_seq AND s.alias = ${table}.${name})`;

export type Mail = {
  network_seq: number;
  message_id: string;
  alias: string;
  from_name: string;
  type: 'message' | 'reply';
  text: string;
  at: Millis;
};

/** Unread messages and replies to names that no agent has. A reply that reports a failure belongs to its task. */
export function listMail(reader: Reader, { after, upTo, networks }: Range): Promise<Mail[]> {
  return reader.all(
    inEach(
      (
        sql,
      ) => `SELECT e.network_seq, m.id AS message_id, m.alias, m.from_session AS from_name, m.type, substr(m.content, 1, ${SHOWN}) AS text, e.created_at AS at
     FROM events e JOIN messages m ON m.message_seq = e.message_seq
     WHERE e.seq > ? AND e.seq <= ? AND e.name IN ('new_message', 'new_reply') AND e.network_seq IN ${sql.numbers('?')}
       AND m.type IN ('message', 'reply') AND m.acked_at IS NULL AND coalesce(m.status, '') <> 'failed' AND ${IS_PERSONS('m', 'alias')}
     ORDER BY e.seq`,
    ),
    [after, upTo, networks],
  );
}

export type TaskRow = {
  network_seq: number;
  task_id: string;
  from_name: string;
  to_name: string;
  status: TaskStatus;
  text: string;
  result: string | null;
  expires_at: Millis;
  at: Millis;
};

const TASK = `t.network_seq, t.task_id, t.from_name, t.to_name, t.status, substr(t.content, 1, ${SHOWN}) AS text,
  substr(t.result, 1, ${SHOWN}) AS result, t.expires_at`;

/** Tasks that failed or expired within the range, and still are. */
export function listFailed(reader: Reader, { after, upTo, networks }: Range): Promise<TaskRow[]> {
  return reader.all(
    inEach(
      (sql) => `SELECT ${TASK}, e.created_at AS at FROM task_events e JOIN tasks t ON t.task_seq = e.task_seq
     WHERE e.event_seq > ? AND e.event_seq <= ? AND e.to_status IN ('failed', 'expired') AND e.to_status = t.status
       AND e.network_seq IN ${sql.numbers('?')} ORDER BY e.event_seq`,
    ),
    [after, upTo, networks],
  );
}

/** Tasks sent within the range, and not yet started, to names that no agent has. */
export function listAsked(reader: Reader, { after, upTo, networks }: Range): Promise<TaskRow[]> {
  return reader.all(
    inEach(
      (sql) => `SELECT ${TASK}, e.created_at AS at FROM task_events e JOIN tasks t ON t.task_seq = e.task_seq
     WHERE e.event_seq > ? AND e.event_seq <= ? AND ${TO_STATUS} = 'delivered' AND t.status = 'delivered'
       AND e.network_seq IN ${sql.numbers('?')} AND ${IS_PERSONS('t', 'to_name')} ORDER BY e.event_seq`,
    ),
    [after, upTo, networks],
  );
}

/** The last of the next `rows` events of tasks that is older than `before`; undefined if there is none. */
export async function findEventBefore(
  reader: Reader,
  after: number,
  before: Millis,
  rows: number,
): Promise<number | undefined> {
  const found = await reader.first<{ last: number | null }>(
    `SELECT max(event_seq) AS last FROM (SELECT event_seq, created_at FROM task_events WHERE event_seq > ? ORDER BY event_seq LIMIT ?)
     WHERE created_at <= ?`,
    [after, rows, before],
  );
  return found?.last ?? undefined;
}

/** Tasks sent or sent again within the range that no agent has fetched since. */
export function listUnfetched(reader: Reader, { after, upTo, networks }: Range): Promise<TaskRow[]> {
  return reader.all(
    inEach(
      (sql) => `SELECT ${TASK}, e.created_at AS at FROM task_events e JOIN tasks t ON t.task_seq = e.task_seq
     JOIN messages m ON m.task_seq = t.task_seq AND m.place = 0 AND m.type = 'task'
     WHERE e.event_seq > ? AND e.event_seq <= ? AND ${TO_STATUS} = 'delivered' AND t.status = 'delivered'
       AND t.delivered_at = e.created_at AND m.fetched_at IS NULL AND e.network_seq IN ${sql.numbers('?')}
       AND NOT (${IS_PERSONS('t', 'to_name')} AND (t.to_name = 'hub' OR EXISTS (SELECT 1 FROM users u WHERE u.username_key = lower(t.to_name))))
     ORDER BY e.event_seq`,
    ),
    [after, upTo, networks],
  );
}

const IS_LONG = `t.ttl_seconds >= ${EXPIRING_MIN_TTL_SECONDS}`;

/** Live tasks of a network whose ttl runs out soon, and did not run out that soon at the moment `since`. */
export async function listExpiring(
  reader: Reader,
  networkSeq: number,
  since: Millis,
  limit: number,
): Promise<TaskRow[]> {
  const [from, to] = [Math.max(since + EXPIRING_MS, reader.now), reader.now + EXPIRING_MS];
  const of = (condition: string) =>
    reader.all<Omit<TaskRow, 'at'>>(
      `SELECT ${TASK} FROM tasks t WHERE t.network_seq = ? AND ${condition} AND t.expires_at > ? AND t.expires_at <= ?
         AND ${IS_LONG} ORDER BY t.expires_at LIMIT ?`,
      [networkSeq, from, to, limit],
    );
  const found = [...(await of("t.status = 'delivered'")), ...(await of("t.status = 'running' AND t.overtime = 0"))];
  return found.map((task) => ({ ...task, at: reader.now }));
}
