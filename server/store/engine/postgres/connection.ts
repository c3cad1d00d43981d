// A connection to PostgreSQL that is opened again when it is lost.
import { Client, type ClientConfig } from 'pg';
import { serversOf } from '../../../domain/postgres-url.ts';
import { ServerError, StillOpening, Unreachable } from './errors.ts';
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
/** `session` is its number at the server. */
type Opened = { client: Client; statements: Statements; session: number };

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
    const refusals: ServerError[] = [];
    for (const [tried] of servers.entries()) {
      const at = (first + tried) % servers.length;
      try {
        const opened = await openOn(servers[at] ?? url);
        first = at;
        return opened;
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        refusals.push(error);
      }
    }
    throw new Unreachable(refusals);
  };
  const openOn = (server: string): Promise<Opened> =>
    connect(
      server,
      {
        pipeline: true,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        connectionTimeoutMillis: CONNECT_MS,
        application_name: 'agenthub',
        types,
        options: `${PLANNER} ${settings}`,
        ...config,
      } as ClientConfig,
      servers.length > 1,
    );
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
    session: () => ready?.session,
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

/** Throws ServerError. */
async function connect(server: string, config: ClientConfig, mustTakeWrites: boolean): Promise<Opened> {
  let client: Client | undefined;
  const seen: Seen = { isReached: false, isOther: false };
  try {
    client = new Client({ ...config, connectionString: withoutAlias(server) });
    client.on('error', () => {}); // statements fail with it, and the end follows
    client.connection.once('connect', () => (seen.isReached = true));
    client.connection.stream.once('data', refuseOthers(client, seen));
    await client.connect();
    const statements = statementsOn(client);
    if (mustTakeWrites) await assertWritable(statements);
    return { client, statements, session: Number(Reflect.get(client, 'processID')) }; // its type lacks it
  } catch (error) {
    client?.connection.stream.destroy(); // an error of the driver leaves it open
    const code = seen.isOther ? 'NOT_POSTGRES' : codeOf(error, client, seen.isReached);
    throw new ServerError(error, { server: new URL(server).host, user: client?.user, code });
  }
}

/** `pg` takes these modes for `verify-full`, but prints a warning of several lines about it. */
function withoutAlias(server: string): string {
  return server.includes('uselibpqcompat=true')
    ? server
    : server.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** Whether anything has accepted the connection, and whether it is another program than PostgreSQL. */
type Seen = { isReached: boolean; isOther: boolean };

/**
 * Another program would leave the driver waiting for the rest of a message. A server first authenticates, refuses or
 * names its protocol; asked for encryption, it accepts or declines with one letter.
 */
function refuseOthers({ connection, ssl }: Client, seen: Seen): (chunk: Buffer) => void {
  const expected = ssl ? /^(S|N)$|^E/ : /^[REvN]/;
  return (chunk) => {
    if (expected.test(chunk.toString('latin1'))) return;
    seen.isOther = true;
    connection.stream.destroy(new Error('not PostgreSQL'));
  };
}

/** The driver has no codes for what happens before the server has accepted the user. */
function codeOf(error: unknown, client: Client | undefined, isReached: boolean): string {
  const message = error instanceof Error ? error.message : '';
  if (message === 'timeout expired') return isReached ? 'SILENT' : 'ETIMEDOUT';
  if (message === 'Connection terminated unexpectedly') return 'CLOSED';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isOfPassword = code === '28P01' || message.includes('client password must be');
  return isOfPassword && !client?.password ? 'NO_PASSWORD' : code;
}

async function assertWritable(statements: Statements): Promise<void> {
  const found = await statements.first<{ is_standby: number; is_read_only: number }>(STATE, []);
  if (found?.is_standby === 1) throw Object.assign(new Error('a standby'), { code: 'STANDBY' });
  if (found?.is_read_only === 1) throw Object.assign(new Error('read-only'), { code: '25006' });
}

const STATE = `SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only') = 'on' AS is_read_only`;
