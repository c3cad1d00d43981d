// Opens a session at one server, and says with a code why that fails.
import { Client, type ClientConfig } from 'pg';
import { ServerError } from './errors.ts';
import { type Statements, statementsOn } from './statements.ts';

/** `session` is its number at the server. */
export type Session = { client: Client; statements: Statements; session: number };

/** `settings` are those of the session, as of a command line. */
export type SessionOptions = ClientConfig & { settings?: string };

export const CONNECT_MS = 2_000;
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
const asBit = (text: string): number => Number(text === 't');
const asText = (text: string): string => text;
/** The driver asks for each column of each result. */
const types = {
  getTypeParser: (type: number) => (NUMBERS.has(type) ? Number : type === BOOLEAN ? asBit : asText),
};

/** Throws ServerError. */
export async function openSession(
  server: string,
  { settings = '', ...options }: SessionOptions = {},
): Promise<Session> {
  const config = {
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'agenthub',
    types,
    options: `${PLANNER} ${settings}`,
    ...options,
    connectionString: withoutAlias(server),
  };
  let client: Client | undefined;
  const seen: Seen = { isReached: false, isOther: false };
  try {
    client = new Client(config as ClientConfig);
    client.on('error', () => {}); // statements fail with it, and the end follows
    client.connection.once('connect', () => (seen.isReached = true));
    client.connection.stream.once('data', refuseOthers(client, seen));
    await client.connect();
    return { client, statements: statementsOn(client), session: Number(Reflect.get(client, 'processID')) }; // its type lacks it
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
