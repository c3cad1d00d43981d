// The servers of a URL, of which the one that takes writes is used. A standby that takes the place of a server begins a
// new timeline. The server that it has replaced lacks what is written from then on; started again by mistake, it takes
// writes, too, and only its timeline shows that it must not be used.
import { serversOf } from '../../../../domain/postgres-url.ts';
import { ServerError, Unreachable } from './errors.ts';
import { type Opened, openSession, type SessionOptions } from './session.ts';

/** What the connections of a hub know together about the servers. */
export type Servers = {
  /** Opens a session at the server to use. Throws Unreachable. */
  open(options?: SessionOptions): Promise<Opened>;
  /** Looks at all servers. Returns whether another one is to be used from now on. */
  compare(): Promise<boolean>;
};

/** `system` is the identity of the data, which a standby has from its server. */
type Timeline = { system: string; timeline: number };

export function serversAt(url: string): Servers {
  const servers = serversOf(url);
  /** The servers after the one that was used last come later, so that a lost one costs one attempt. */
  let first = 0;
  let newest: Timeline | undefined;
  let compared: Promise<boolean> | undefined;

  const openAt = async (at: number, options?: SessionOptions): Promise<Opened & { found: Timeline | undefined }> => {
    const server = servers[at] ?? url;
    const opened = await openSession(server, options);
    try {
      const found = servers.length > 1 ? await assertWritable(opened) : undefined;
      if (found !== undefined && isOlder(found, newest)) throw new Refused('REPLACED');
      newest = found ?? newest;
      return { ...opened, found };
    } catch (error) {
      opened.client.connection.stream.destroy();
      const code = error instanceof Refused ? error.code : '';
      throw new ServerError(error, { server: new URL(server).host, user: opened.client.user, code });
    }
  };
  const compare = async (): Promise<boolean> => {
    if (servers.length === 1) return false;
    const before = first;
    const looks = servers.map(async (_, at) => {
      const { client, found } = await openAt(at);
      void client.end();
      return { at, found };
    });
    const settled = await Promise.allSettled(looks);
    const writable = settled.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
    first = writable.find(({ found }) => found === undefined || !isOlder(found, newest))?.at ?? first;
    return first !== before;
  };
  return {
    compare,
    open: async (options) => {
      await (compared ??= compare());
      const refusals: ServerError[] = [];
      for (const [tried] of servers.entries()) {
        const at = (first + tried) % servers.length;
        try {
          const opened = await openAt(at, options);
          first = at;
          return opened;
        } catch (error) {
          if (!(error instanceof ServerError)) throw error;
          refusals.push(error);
        }
      }
      throw new Unreachable(refusals);
    },
  };
}

function isOlder({ system, timeline }: Timeline, newest: Timeline | undefined): boolean {
  return newest?.system === system && timeline < newest.timeline;
}

class Refused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The timeline is undefined where a service does not tell it. */
async function assertWritable({ statements }: Opened): Promise<Timeline | undefined> {
  const [state, timeline] = await Promise.all([
    statements.first<{ is_standby: number; is_read_only: number }>(STATE, []),
    statements.first<Timeline>(TIMELINE, []).catch(() => undefined),
  ]);
  if (state?.is_standby === 1) throw new Refused('STANDBY');
  if (state?.is_read_only === 1) throw new Refused('25006');
  return timeline;
}

const STATE = `SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only') = 'on' AS is_read_only`;
/** The control file has it only from the next checkpoint on. */
const TIMELINE = `SELECT system_identifier::text AS system,
  ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint AS timeline
  FROM pg_control_system()`;
