// Notices when the server does not finish a group of writes, and refuses in time what waits behind it. Over another
// connection, the server says whether it works on the group, as while its synchronous standby is lost, or knows nothing
// of it, because the connection was lost unnoticed.
import type { Reader } from '../transaction.ts';

export type Stalls = {
  /** Runs a group. */
  during<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Whether the server itself holds up the writes, which are those of all hubs then. */
  isOfServer(): boolean;
  stop(): void;
};

type StallOptions = {
  /** The process of the server that runs the group; undefined while the connection is being opened. */
  session(): number | undefined;
  /** Refuses the writes that have waited for long and have not begun. */
  refuseLate(): void;
  read(work: (reader: Reader) => Promise<State | undefined>): Promise<State | undefined>;
  /** Breaks off the connection of the group, which then asks over another one whether it was committed. */
  drop(): void;
};

type State = { state: string | null };

const LOOK_MS = 250;
/**
 * Groups take milliseconds. One that waits for the locks of a hub that hangs takes a second. Looks are counted and not
 * time: when a process that was frozen continues, its answers may have arrived long ago.
 */
const STALLED_LOOKS = 8;
/** The answer may be on its way while the server already waits for the next statement. */
const IDLE_LOOKS = 4;

export function openStalls({ session, refuseLate, read, drop }: StallOptions): Stalls {
  /** The group that runs, and how often it was seen. */
  let group: { looks: number } | undefined;
  let isOfServer = false;
  let idleLooks = 0;
  let isAsking = false;
  const ask = async (): Promise<void> => {
    const asked = { group, session: session() };
    if (asked.session === undefined) return;
    const found = await read((reader) => reader.first<State>(STATE, [asked.session ?? null])).catch(() => UNKNOWN);
    if (group !== asked.group || session() !== asked.session || found === UNKNOWN) return;
    isOfServer = found?.state === 'active';
    idleLooks = found === undefined || found.state === 'idle' ? idleLooks + 1 : 0;
    if (idleLooks >= IDLE_LOOKS) drop();
  };
  const timer = setInterval(() => {
    if (group === undefined || ++group.looks < STALLED_LOOKS) return;
    refuseLate();
    if (isAsking) return;
    isAsking = true;
    void ask().finally(() => (isAsking = false));
  }, LOOK_MS);
  return {
    during: async (run) => {
      group = { looks: 0 };
      try {
        return await run();
      } finally {
        group = undefined;
        isOfServer = false;
        idleLooks = 0;
      }
    },
    isOfServer: () => isOfServer,
    stop: () => clearInterval(timer),
  };
}

const UNKNOWN: State = { state: null };

/** The state is null for a session of another user. */
const STATE = 'SELECT state FROM pg_stat_activity WHERE pid = ?';
