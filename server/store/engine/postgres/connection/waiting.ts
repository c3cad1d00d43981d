// Logs what a start or a command waits for if the database server holds it up for long.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../../domain/log.ts';
import { SECOND_MS } from '../../../../domain/time/time.ts';
import type { Connection } from './connection.ts';
import { Unreachable } from './errors.ts';
import { onDatabase, SHORT } from './on-database.ts';

export type WaitLog = Pick<Log, 'info' | 'warn'>;

const SAID_AFTER_MS = 2 * SECOND_MS;
/** A server that has crashed reads its log before it accepts connections. Service managers allow 90 seconds. */
const STARTED_WITHIN_MS = 60 * SECOND_MS;
const LOOK_MS = 250;

type Says = Readonly<Record<'waits' | 'goesOn', (what: string) => string>>;

const START: Says = {
  waits: (what) => `the start waits ${what}`,
  goesOn: (after) => `the start goes on after ${after}`,
};
export const COMMAND: Says = {
  waits: (what) => `the command waits ${what}`,
  goesOn: (after) => `the command goes on after ${after}`,
};

/**
 * Returns the result of `work`. Logs what it waits for after two seconds, once, and when it goes on. It logs nothing if
 * `describe` finds nothing.
 */
export async function logWait<Result>(
  work: Promise<Result>,
  describe: () => Promise<string | undefined>,
  log: WaitLog | undefined,
  { waits, goesOn } = START,
): Promise<Result> {
  if (log === undefined) return work;
  const begun = performance.now();
  const state = { isDone: false, isLogged: false };
  const say = async (): Promise<void> => {
    const what = await describe().catch(() => 'for the database server, which does not say why');
    if (state.isDone || what === undefined) return;
    log.warn({}, waits(what));
    state.isLogged = true;
  };
  const timer = setTimeout(() => void say(), SAID_AFTER_MS);
  try {
    const result = await work;
    if (state.isLogged) log.info({}, goesOn(`${Math.round((performance.now() - begun) / SECOND_MS)} seconds`));
    return result;
  } finally {
    clearTimeout(timer);
    state.isDone = true;
  }
}

/** Opens the connection once a server accepts it that says that it is starting up. */
export function openOnceStarted(connection: Connection, log: WaitLog): ReturnType<Connection['open']> {
  const end = performance.now() + STARTED_WITHIN_MS;
  let reason = '';
  const open = async (): ReturnType<Connection['open']> => {
    for (;;)
      try {
        return await connection.open();
      } catch (error) {
        const starting = error instanceof Unreachable && error.refusals.find(({ code }) => code === CANNOT_CONNECT_NOW);
        if (!starting || performance.now() > end) throw error;
        reason = starting.message;
        await sleep(LOOK_MS);
      }
  };
  return logWait(
    open(),
    async () => `until the database server accepts connections${reason === '' ? '' : ` (${reason})`}`,
    log,
  );
}

const CANNOT_CONNECT_NOW = '57P03';

/** What a session waits for, as the end of a sentence. */
export async function waitOf(url: string, session: number): Promise<string> {
  const found = await onDatabase(url, (statements) => statements.first<Wait>(WAIT, [session]), SHORT);
  const { kind, event, standbys, holders } = found ?? { kind: null, event: null, standbys: '', holders: null };
  if (event === 'SyncRep')
    return `until a synchronous standby (${standbys}) has confirmed a write: start the standby, or empty synchronous_standby_names and reload the server`;
  if (event === 'advisory')
    return `while another hub or command creates, upgrades or checks the tables, in session ${holders}`;
  if (kind === 'Lock') return `for a lock that session ${holders} holds`;
  return `for the database server${event === null ? '' : ` (${kind}: ${event})`}`;
}

/** As `waitOf`, for any session of this user whose write waits for a standby. */
export async function standbyWaitOn(url: string): Promise<string | undefined> {
  const found = await onDatabase(url, (statements) => statements.first<{ session: number }>(HELD_UP, []), SHORT);
  return found && waitOf(url, found.session);
}

const HELD_UP = `SELECT pid AS session FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND wait_event = 'SyncRep' LIMIT 1`;

type Wait = { kind: string | null; event: string | null; standbys: string; holders: string | null };

const WAIT = `SELECT wait_event_type AS kind, wait_event AS event,
    current_setting('synchronous_standby_names') AS standbys,
    (SELECT string_agg(format('%s (%s)', h.pid, coalesce(nullif(h.application_name, ''), 'unnamed')), ', ')
      FROM pg_stat_activity h WHERE h.pid = ANY (pg_blocking_pids(a.pid))) AS holders
  FROM pg_stat_activity a WHERE pid = ?`;
