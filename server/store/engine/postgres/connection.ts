// A connection to PostgreSQL that is opened again when it is lost.
import { Client, type ClientConfig } from 'pg';
import { serversOf } from '../../../domain/postgres-url.ts';
import { ReadOnly, StillOpening } from './errors.ts';
import { type Statements, statementsOn } from './statements.ts';

export type Connection = {
  /** Opens it if it is not open. */
  open(): Promise<Opened>;
  /** Throws StillOpening after `patienceMs`, while the attempt goes on: with several servers, it can take longer. */
  statements(): Promise<Statements>;
  /** The process of the server for this connection, while it is open. */
  session(): number | undefined;
  /** Breaks the connection off, whatever it still waits for; the next call opens another. */
  drop(): void;
  close(): Promise<void>;
};

type Options = ClientConfig & { settings?: string; patienceMs?: number };
type Opened = { client: Client & Backend; statements: Statements };
/** Of the server, as it tells at the start. The types of `pg` lack it. */
type Backend = { processID?: number };

const CONNECT_MS = 2_000;
/** Firewalls forget connections that are silent for some minutes, and do not tell. */
const KEEP_ALIVE_MS = 30_000;

/**
 * A statement is prepared while its tables may be empty, and its plan is kept until the server has analyzed them. The
 * store has an index for each statement, as a file needs. Without one, a scan seems so expensive to servers before
 * PostgreSQL 18 that they would compile it.
 */
const PLANNER = '-c enable_seqscan=off -c jit=off';

/** Types by their number in pg_type. Numbers of the store are safe integers; a truth value is 1 or 0, as in SQLite. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
const BOOLEAN = 16;
const types = {
  getTypeParser: (type: number) => (text: string) =>
    NUMBERS.has(type) ? Number(text) : type === BOOLEAN ? Number(text === 't') : text,
};

/**
 * Of several servers in the URL, the one that takes writes is used. `settings` are those of its session, as of a command
 * line.
 */
export function connectionTo(url: string, options: Options = {}): Connection {
  const { settings = '', patienceMs = CONNECT_MS, ...config } = options;
  const servers = serversOf(url);
  let current: Promise<Opened> | undefined;
  /** Once it is open. */
  let ready: Opened | undefined;
  /** The servers after the one that was used last come later, so that a lost one costs one attempt. */
  let first = 0;
  const open = async () => {
    let problem: unknown;
    for (const [tried] of servers.entries()) {
      const at = (first + tried) % servers.length;
      try {
        const opened = await openOn(servers[at] ?? url);
        first = at;
        return opened;
      } catch (error) {
        problem = problem instanceof ReadOnly ? problem : error;
      }
    }
    throw problem;
  };
  const openOn = async (server: string) => {
    const client: Client & Backend = new Client({
      connectionString: server,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'agenthub',
      types,
      options: `${PLANNER} ${settings}`,
      ...config,
    } as ClientConfig);
    client.on('error', () => {}); // statements fail with it, and the end follows
    await client.connect();
    const statements = statementsOn(client);
    if (servers.length > 1) await assertWritable(client, statements);
    return { client, statements };
  };
  const drop = (): void => {
    const dropped = current;
    current = undefined;
    ready = undefined;
    void dropped?.then(({ client }) => client.connection.stream.destroy()).catch(() => {});
  };
  /** The end of an earlier one may be noticed only after another is open. */
  const begin = (): Promise<Opened> => {
    const begun = open();
    const forget = (): void => {
      if (current !== begun) return;
      current = undefined;
      ready = undefined;
    };
    begun.then((opened) => {
      opened.client.on('end', forget);
      if (current === begun) ready = opened;
    }, forget);
    return begun;
  };
  const opened = (): Promise<Opened> => (current ??= begin());
  return {
    open: opened,
    statements: async () => (ready ?? (await within(patienceMs, opened()))).statements,
    session: () => ready?.client.processID,
    drop,
    close: async () => {
      const last = current;
      current = undefined;
      ready = undefined;
      await last?.then(({ client }) => client.end()).catch(() => {});
    },
  };
}

/** Resolves with what was opened, or throws StillOpening. */
async function within(patienceMs: number, opening: Promise<Opened>): Promise<Opened> {
  const patience = Promise.withResolvers<never>();
  const timer = setTimeout(() => patience.reject(new StillOpening()), patienceMs);
  try {
    return await Promise.race([opening, patience.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A standby, or a server that was told to take no writes. */
async function assertWritable(client: Client, statements: Statements): Promise<void> {
  const sql = "SELECT current_setting('transaction_read_only') AS answer";
  const found = await statements.first<{ answer: string }>(sql, []);
  if (found?.answer === 'off') return;
  client.connection.stream.destroy();
  throw new ReadOnly();
}
