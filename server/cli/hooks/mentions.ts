// Yields the notices of new mail for a session, as they come. Waits on the event stream of the agent, across restarts
// of the hub and broken connections.
import { SECOND_MS } from '../../domain/time/time.ts';
import { backoffDelays } from '../client/backoff.ts';
import { type HubClient, isTransient } from '../client/hub-client.ts';
import { followEvents } from '../client/hub-events.ts';

export type Waiter = {
  alias: string;
  /** Undefined for a waiter that belongs to no session. */
  session?: string | undefined;
  /** A turn that is beginning has read the last mention, whichever request arrives first. */
  isInTurn?: boolean;
  /** Checked every few seconds. When it returns false, the waiting ends. */
  isNeeded: () => boolean;
};

type Answer = { mention?: string; ended?: true };

const CHECK_MS = 2 * SECOND_MS;
const ARRIVALS: ReadonlySet<string> = new Set([
  'heartbeat',
  'resync',
  'new_task',
  'new_message',
  'new_reply',
  'broadcast',
]);

export async function* mentions(
  hub: HubClient,
  { alias, session, isInTurn = false, isNeeded }: Waiter,
): AsyncGenerator<string, void> {
  const leaving = new AbortController();
  const timer = setInterval(() => isNeeded() || leaving.abort(), CHECK_MS);
  const pause = backoffDelays();
  const stream = `/events/${encodeURIComponent(alias)}`;
  let first = !isInTurn;
  try {
    while (!leaving.signal.aborted) {
      try {
        // The heartbeat that opens a stream asks for the mail that came before.
        for await (const { type } of followEvents(hub, stream, leaving.signal, silently)) {
          pause.reset();
          if (!ARRIVALS.has(type)) continue;
          if (!isNeeded()) return;
          const { mention, ended } = await ask(hub, { alias, session, first });
          first = false;
          if (ended) return;
          if (mention !== undefined) yield mention;
        }
      } catch (error) {
        if (!isTransient(error)) throw error;
        await pause.next(leaving.signal);
      }
    }
  } finally {
    clearInterval(timer);
    leaving.abort();
  }
}

// Clients show the model what a command wrote to standard error.
function silently(): void {}

/** Asks once, without waiting. */
export function ask(
  hub: HubClient,
  { alias, session, first }: Pick<Waiter, 'alias' | 'session'> & { first: boolean },
): Promise<Answer> {
  return hub.post('/hooks/wake', { alias, ...(session !== undefined && { session_id: session }), first });
}
