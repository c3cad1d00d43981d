// Tells the other hubs what they need not store. Nothing waits for it, and what is lost with a connection is never
// repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gossip } from '../../../domain/events.ts';
import { AGAIN_AFTER_MS } from '../obstacle.ts';
import type { Connection } from './connection/connection.ts';
import { isLockTimeout } from './connection/errors.ts';
import type { Statements } from './connection/statements.ts';

export const GOSSIP = 'agenthub_gossip';

/** The server accepts less than 8,000 bytes; the rest is for the name of the hub. */
const MOST_BYTES = 7_900;
/** What comes within this time is told together: each notification costs the server and each hub as much as a send. */
const REST_MS = 20;
/** What is urgent waits no longer than this. */
const URGENT_REST_MS = 5;
/** Of a hub whose server does not answer. */
const MOST_UNTOLD = 10_000;

export type Gossiping = {
  tell(gossip: Gossip, isUrgent: boolean): void;
  /** What a notification of another hub tells; nothing if it is one of this hub. */
  told(payload: string): readonly Gossip[];
};

export function openGossip(connection: Connection, hubId: string): Gossiping {
  let untold: string[] = [];
  let isTelling = false;
  let hasUrgent = false;
  const rest = async (): Promise<void> => {
    for (let rested = 0; rested === 0 || (rested < REST_MS && !hasUrgent); rested += URGENT_REST_MS)
      await sleep(URGENT_REST_MS, undefined, { ref: false });
    hasUrgent = false;
  };
  const tellAll = async (): Promise<void> => {
    try {
      while (untold.length > 0) {
        const statements = await connection.statements();
        while (untold.length > 0) await notify(statements, `${hubId} [${take(untold)}]`);
        await rest();
      }
    } catch {
      untold = [];
    } finally {
      isTelling = false;
    }
  };
  return {
    tell: (gossip, isUrgent) => {
      const entry = JSON.stringify(gossip);
      if (untold.length >= MOST_UNTOLD || Buffer.byteLength(entry) > MOST_BYTES) return;
      untold.push(entry);
      hasUrgent ||= isUrgent && isTelling;
      if (isTelling) return;
      isTelling = true;
      queueMicrotask(() => void tellAll());
    },
    told: (payload) => {
      const start = payload.indexOf(' ');
      return payload.slice(0, start) === hubId ? [] : JSON.parse(payload.slice(start));
    },
  };
}

/** Tries again while the server holds up the notifications of all hubs, as it does while its standby is lost. */
async function notify(statements: Statements, payload: string): Promise<void> {
  for (;;) {
    try {
      return void (await statements.all('SELECT pg_notify(?, ?)', [GOSSIP, payload]));
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
    }
  }
}

/** Removes as many entries as fit into one notification, and returns them joined. */
function take(untold: string[]): string {
  let bytes = 0;
  let count = 0;
  for (const entry of untold) {
    bytes += Buffer.byteLength(entry) + 1;
    if (bytes > MOST_BYTES + 1) break;
    count += 1;
  }
  return untold.splice(0, count).join();
}
