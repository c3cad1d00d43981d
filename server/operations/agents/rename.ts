// Moves live tasks, sent tasks and pending messages to an agent's new alias, in portions with a commit each, so that
// other writes do not wait. The session itself is renamed last, in the commit of the final portion. A sweep finishes a
// rename that a crash or a shutdown interrupted.
import { clientLeft, unavailable } from '../../domain/errors.ts';
import type { Session } from '../../domain/session.ts';
import { type Task, taskOutline } from '../../domain/task.ts';
import type { Hub } from '../../hub.ts';
import {
  findTarget,
  type Moving,
  readdressAttempts,
  readdressMessages,
  readdressTasks,
  setMoving,
} from '../../store/bulk/readdress.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as inboxes from '../../store/inboxes.ts';
import * as sessions from '../../store/sessions.ts';
import type { Context } from '../operation.ts';
import { openPortions } from '../portion-size.ts';
import { publishSession } from '../sessions/presence.ts';

/** Each update rewrites a row with all its text. */
const MAX_ROWS_PER_PORTION = 50;

/** The default sender name; tasks sent under it belong to no single agent. */
const DEFAULT_SENDER = 'hub';

export type Rename = { network_id: string; from: string; to: string };

/** The position of a rename that has moved nothing. */
export const NOT_BEGUN = -1;

/** Moves one portion. Returns the message number to continue after, or undefined when everything has moved. */
export function movePortion(tx: Transaction, rename: Rename, after: number): Promise<number | undefined> {
  const first = Math.max(0, after);
  return openPortions().run(first, (place, rows) => moveSome(tx, rename, place, rows), MAX_ROWS_PER_PORTION);
}

async function moveSome(tx: Transaction, rename: Rename, after: number, rows: number): Promise<number | undefined> {
  if ((await moveAssigned(tx, rename, rows)) === rows) return after;
  if (rename.from !== DEFAULT_SENDER && (await moveSent(tx, rename, rows)) === rows) return after;
  return readdressMessages(tx, rename, after, rows);
}

/** A task and its messages move together, so that a reply comes from its assignee under either name. */
async function moveAssigned(tx: Transaction, rename: Rename, rows: number): Promise<number> {
  const moved = await readdressTasks(tx, 'to_name', rename, rows);
  if (moved.length > 0)
    await readdressAttempts(
      tx,
      rename,
      moved.map(({ task_seq }) => task_seq),
    );
  moved.forEach((task) => publishOutline(tx, { ...task, to_name: rename.to }));
  return moved.length;
}

async function moveSent(tx: Transaction, rename: Rename, rows: number): Promise<number> {
  const sent = await readdressTasks(tx, 'from_name', rename, rows);
  sent.forEach((task) => publishOutline(tx, { ...task, from_name: rename.to }));
  return sent.length;
}

/** Publishes only the outline: a thousand texts of 20 KB would be written and sent although only names changed. */
function publishOutline(tx: Transaction, task: Task): void {
  tx.publish({ network_id: task.network_id, alias: null, data: { type: 'task', ...taskOutline(task) } });
}

/**
 * Repeats a write that may rename an agent. The first call, with `undefined`, returns a number if it must rename; the
 * write is then repeated in the rename's turn, with the number that it returned, until it returns its result. A rename
 * that has begun continues when its client leaves, since the next one would have to finish it.
 */
export async function inPortions<T extends object>(
  hub: Hub,
  networkId: string,
  { recipient }: Pick<Context, 'recipient'>,
  write: (after: number | undefined) => Promise<T | number>,
): Promise<T> {
  const written = await write(undefined);
  if (typeof written === 'object') return written;
  return hub.renames.inTurn(networkId, async () => {
    if (recipient?.hasLeft()) throw clientLeft();
    for (let after = written; ; ) {
      if (hub.life.isStopping) throw unavailable('the hub is stopping; report the new alias after the restart');
      const next = await write(after);
      if (typeof next === 'object') return next;
      after = next;
    }
  });
}

/** Finishes the rename of a session, unless the hub stops. */
export function finishRename(hub: Hub, store: Pick<ScopedStore, 'write'>, moving: Moving): Promise<void> {
  return hub.renames.inTurn(moving.network_id, async () => {
    for (let after: number | undefined = NOT_BEGUN; after !== undefined && !hub.life.isStopping; ) {
      const from: number = after;
      after = await store.write((tx) => finishPortion(tx, moving, from));
    }
  });
}

/** Moves one portion of a pending rename. Returns the number to continue after, or undefined when it is finished. */
export async function finishPortion(tx: Transaction, moving: Moving, after: number): Promise<number | undefined> {
  const to = await findTarget(tx, moving);
  if (to === undefined) return undefined;
  const { network_id, resume_id } = moving;
  const known = await sessions.findByEither(tx, network_id, resume_id, to);
  const own = known.find((session) => session.resume_id === resume_id);
  const next = own && own.alias !== to ? await movePortion(tx, { network_id, from: own.alias, to }, after) : undefined;
  if (next !== undefined) return next;
  await setMoving(tx, moving, null);
  if (own === undefined || own.alias === to) return undefined;
  await replaceSession(tx, known, { ...own, alias: to });
  publishSession(tx, { ...own, alias: to, pending: await inboxes.countPending(tx, network_id, to) }, to);
  return undefined;
}

// A new resume_id under a known alias replaces the record. A new alias under a known resume_id renames the session and
// replaces the one that had that alias.
export async function replaceSession(tx: Transaction, known: readonly Session[], session: Session): Promise<void> {
  const own = known.find(({ resume_id }) => resume_id === session.resume_id);
  const holder = known.find(({ alias, resume_id }) => alias === session.alias && resume_id !== session.resume_id);
  if (holder !== undefined) await sessions.remove(tx, holder);
  if (own === undefined) return sessions.insert(tx, session);
  await sessions.update(tx, session);
}
