// The servers of a URL, of which the one that takes writes is used. A standby that takes the place of a server begins a
// new timeline. The server that it has replaced lacks what is written from then on; started again by mistake, it takes
// writes, too, and only its timeline shows that it must not be used.
import { serversOf } from '../../../../domain/postgres-url.ts';
import { ServerError, Unreachable } from './errors.ts';
import { stateOf, type Timeline } from './server-state.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

/** `server` is its number in the order of the URL. */
export type Opened = Session & { server: number };

/** What the connections of a hub know together about the servers. */
export type Servers = {
  /** Opens a session at the server to use. Throws Unreachable. */
  open(options?: SessionOptions): Promise<Opened>;
  /** Looks at all servers, for one that was promoted later than the one that is used. */
  compare(): Promise<void>;
  /** The number of the server to use, in the order of the URL. */
  used(): number;
};

/** `onMove` is called with the host and port of each server that is used after another one. */
export function serversAt(url: string, onMove = (_server: string): void => {}): Servers {
  const servers = serversOf(url);
  /** Those after the one that was used last are tried later, so that a lost one costs one attempt. */
  let used = 0;
  let hasUsed = false;
  let newest: Timeline | undefined;
  let compared: Promise<void> | undefined;
  let isComparing = false;

  const use = (at: number): void => {
    if (hasUsed && at !== used) onMove(new URL(servers[at] ?? url).host);
    used = at;
    hasUsed = true;
  };
  const openAt = async (at: number, options?: SessionOptions): Promise<Opened & { found: Timeline | undefined }> => {
    const server = servers[at] ?? url;
    const opened = { ...(await openSession(server, options)), server: at };
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
  const compare = async (): Promise<void> => {
    if (servers.length === 1 || isComparing) return;
    isComparing = true;
    const looks = servers.map(async (_, at) => {
      const { client, found } = await openAt(at);
      void client.end();
      return { at, found };
    });
    const settled = await Promise.allSettled(looks);
    isComparing = false;
    const current = settled
      .flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []))
      .filter(({ found }) => found === undefined || !isOlder(found, newest));
    const { at } = current.find((each) => hasUsed && each.at === used) ?? current[0] ?? {};
    if (at !== undefined) use(at);
  };
  return {
    compare,
    used: () => used,
    open: async (options) => {
      await (compared ??= compare());
      const refusals: ServerError[] = [];
      const start = used;
      for (const [tried] of servers.entries()) {
        const at = (start + tried) % servers.length;
        try {
          const opened = await openAt(at, options);
          use(at);
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

/** Throws Refused. */
async function assertWritable({ statements }: Session): Promise<Timeline | undefined> {
  const { isStandby, isReadOnly, timeline } = await stateOf(statements);
  if (isStandby) throw new Refused('STANDBY');
  if (isReadOnly) throw new Refused('25006');
  return timeline;
}
