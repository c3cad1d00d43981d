// A connection to PostgreSQL that is opened again when it is lost.
import { StillOpening } from './errors.ts';
import type { Opened, Servers } from './servers.ts';
import { CONNECT_MS, type SessionOptions } from './session.ts';
import type { Statements } from './statements.ts';

export type Connection = {
  /** Opens it if it is not open. */
  open(): Promise<Opened>;
  /** Throws StillOpening after `patienceMs`, while the attempt goes on: with several servers, it can take longer. */
  statements(): Promise<Statements>;
  /** The process of the server for this connection, while it is open. */
  session(): number | undefined;
  /** The number of its server, while it is open. */
  server(): number | undefined;
  /** Breaks the connection off, whatever it still waits for; the next call opens another. */
  drop(): void;
  close(): Promise<void>;
};

type Options = SessionOptions & { patienceMs?: number };

export function connectionTo(servers: Servers, options: Options = {}): Connection {
  const { patienceMs = CONNECT_MS, ...config } = options;
  let current: Promise<Opened> | undefined;
  /** Once it is open. */
  let ready: Opened | undefined;
  const drop = (): void => {
    const dropped = current;
    current = undefined;
    ready = undefined;
    void dropped?.then(({ client }) => client.connection.stream.destroy()).catch(() => {});
  };
  /** The end of an earlier one may be noticed only after another is open. */
  const begin = (): Promise<Opened> => {
    const begun = servers.open(config);
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
    server: () => ready?.server,
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
