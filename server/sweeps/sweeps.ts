// The table of sweeps: the hub's background jobs and their intervals. Each returns counts of its work.

import { isStoringNothing } from '../domain/health/troubles.ts';
import {
  CLOCK_JUMP_MS,
  CLOCK_TRUSTED_AFTER_MS,
  HEARTBEAT_DELAY_MS,
  IDEMPOTENCY_KEPT_MS,
  MAX_FIGURES_HOURS,
  MAX_THROUGHPUT_HOURS,
  TOLD_KEPT_MS,
} from '../domain/limits.ts';
import type { Settings } from '../domain/settings.ts';
import type { Millis } from '../domain/time/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/time/time.ts';
import { NOTHING_PRUNED, type Pruned } from '../events/memory.ts';
import type { Hub } from '../hub.ts';
import { catchUp } from '../operations/expiry.ts';
import { startDeliveries } from '../operations/notifiers/deliver.ts';
import { noticeAbandonedTasks } from '../operations/notifiers/notice-abandoned-tasks.ts';
import { noticeNeeds, noticeWaitingTasks } from '../operations/notifiers/notice-needs.ts';
import { noticeStuckAgents } from '../operations/notifiers/notice-stuck-agents.ts';
import { type Elapsed, openPortions } from '../operations/portion-size.ts';
import * as retention from '../operations/retention.ts';
import { flushWriteBehind } from '../operations/write-behind.ts';
import { findRemoved, removeRows } from '../store/bulk/network-removal.ts';
import * as durationCounts from '../store/counts/duration-counts.ts';
import * as moveCounts from '../store/counts/move-counts.ts';
import { type Place, readTextBytes, START } from '../store/counts/text-bytes.ts';
import type { Transaction } from '../store/engine/transaction.ts';
import * as idempotency from '../store/idempotency.ts';
import * as deliveries from '../store/notifiers/deliveries.ts';
import * as tokens from '../store/tokens.ts';
import * as toldSessions from '../store/told-sessions.ts';
import { finishPortions } from './finish-portions.ts';
import { shrink } from './shrink.ts';
import { writeHeartbeats } from './write-heartbeats.ts';

/** Undefined if there was nothing to do yet, which says nothing about its success. */
export type Sweep = (hub: Hub) => Promise<Record<string, number> | undefined>;

/** `first` is the delay of the first run after the start, so that not all run at the same moment. */
export type SweepRow = {
  name: string;
  every: Millis;
  first?: Millis;
  /** Of several hubs on one database, each runs it: it concerns the memory or the connections of this hub. */
  isOwn?: true;
  sweep: Sweep;
};

/** Sweeps defined in other modules. */
export type OtherSweeps = {
  /** Forgets idle client addresses of the HTTP server. */
  forgetAddresses: Sweep;
  /** Creates a backup when one is due. */
  backUp: Sweep;
};

export function sweepsOf({ settings }: Hub, { forgetAddresses, backUp }: OtherSweeps): SweepRow[] {
  return [
    { name: 'expire', every: settings.sweep_seconds * SECOND_MS, sweep: expire },
    { name: 'flush-write-behind', every: SECOND_MS, isOwn: true, sweep: flushWriteBehind },
    { name: 'end-access', every: SECOND_MS, isOwn: true, sweep: endAccess },
    { name: 'remove-networks', every: SECOND_MS, sweep: removeNetworks },
    { name: 'notice-needs', every: SECOND_MS, sweep: noticeNeeds },
    { name: 'notice-waiting-tasks', every: 15 * SECOND_MS, first: 7 * SECOND_MS, sweep: noticeWaitingTasks },
    { name: 'notice-stuck-agents', every: 15 * SECOND_MS, first: 11 * SECOND_MS, sweep: noticeStuckAgents },
    { name: 'notice-abandoned-tasks', every: 15 * SECOND_MS, first: 13 * SECOND_MS, sweep: noticeAbandonedTasks },
    { name: 'notify', every: SECOND_MS, sweep: notify },
    { name: 'finish-portions', every: 15 * SECOND_MS, first: SECOND_MS, sweep: finishPortions },
    { name: 'write-heartbeats', every: heartbeatsEvery(settings), isOwn: true, sweep: writeHeartbeats },
    { name: 'prune-events', every: MINUTE_MS, first: 23 * SECOND_MS, sweep: pruneEvents },
    { name: 'prune', every: HOUR_MS, first: 8 * MINUTE_MS, sweep: prune },
    { name: 'measure-networks', every: 10 * MINUTE_MS, first: 13 * SECOND_MS, isOwn: true, sweep: measureNetworks },
    { name: 'shrink', every: MINUTE_MS, first: 51 * SECOND_MS, isOwn: true, sweep: (hub) => shrink(hub) },
    { name: 'note-size', every: 10 * MINUTE_MS, first: SECOND_MS, isOwn: true, sweep: noteSize },
    { name: 'prune-deliveries', every: HOUR_MS, first: 9 * MINUTE_MS, sweep: pruneDeliveries },
    { name: 'forget-addresses', every: MINUTE_MS, first: 33 * SECOND_MS, isOwn: true, sweep: forgetAddresses },
    { name: 'back-up', every: MINUTE_MS, first: 3 * SECOND_MS, isOwn: true, sweep: backUp },
    { name: 'prune-idempotency-keys', every: 10 * MINUTE_MS, first: 43 * SECOND_MS, sweep: pruneIdempotencyKeys },
    { name: 'prune-told-sessions', every: HOUR_MS, first: 10 * MINUTE_MS, sweep: pruneToldSessions },
  ];
}

/** Of several hubs, each waits for the heartbeats of all others before it marks a session offline. */
function heartbeatsEvery({ offline_after_seconds }: Settings): Millis {
  return Math.max(SECOND_MS, Math.min(HEARTBEAT_DELAY_MS, (offline_after_seconds * SECOND_MS) / 4));
}

/** Marks silent sessions offline and expires tasks in networks without requests. */
export async function expire(hub: Hub): Promise<{ sessions: number; tasks: number }> {
  const before = { ...hub.timedOut };
  await catchUp(hub);
  return { sessions: hub.timedOut.sessions - before.sessions, tasks: hub.timedOut.tasks - before.tasks };
}

/** Closes the streams and waits of tokens that have expired. */
export async function endAccess(hub: Hub): Promise<{ tokens: number }> {
  let ended = 0;
  for (const tokenId of hub.revocations.listDue(hub.clock.now())) ended += (await endIfExpired(hub, tokenId)) ? 1 : 0;
  return { tokens: ended };
}

// Each use extends a user token, so it may expire later than when a stream or wait was opened with it.
async function endIfExpired(hub: Hub, tokenId: string): Promise<boolean> {
  const end = await hub.store.read((reader) => tokens.findEnd(reader, tokenId));
  const isExpired = end <= hub.clock.now();
  if (isExpired) hub.revocations.announce({ token_id: tokenId });
  else hub.revocations.moveEnd(tokenId, end);
  return isExpired;
}

/** Removes the rows of deleted networks, in portions with a commit each, so that other writes do not wait. */
export async function removeNetworks(hub: Hub, elapsed?: Elapsed): Promise<{ networks: number }> {
  const portions = openPortions(elapsed);
  let networks = 0;
  for (;;) {
    const networkSeq = await hub.store.read(findRemoved);
    if (networkSeq === undefined) return { networks };
    for (let left: number | undefined = networkSeq; left !== undefined; ) {
      if (hub.life.isStopping) return { networks };
      left = await hub.store.write((tx) =>
        portions.run(networkSeq, async (seq, limit) => ((await removeRows(tx, seq, limit)) ? seq : undefined)),
      );
    }
    networks += 1;
  }
}

/** One hour longer than the statistics cover. */
const COUNTS_KEPT_MS = (MAX_THROUGHPUT_HOURS + 1) * HOUR_MS;
/** One day longer than the figures cover. */
const DURATIONS_KEPT_MS = (MAX_FIGURES_HOURS + 24) * HOUR_MS;

/**
 * Removes stream events that are too old to replay, and counts older than any statistics. Skipped shortly after a clock
 * jump, but not while the hub's clock is ahead, which may last for years: events would fill the disk.
 */
export async function pruneEvents(hub: Hub): Promise<{ events: number }> {
  if (!isClockSettled(hub)) return { events: 0 };
  await removeInPortions(hub, (tx, limit) => moveCounts.removeBefore(tx, tx.now - COUNTS_KEPT_MS, limit));
  await removeInPortions(hub, (tx, limit) => durationCounts.removeBefore(tx, tx.now - DURATIONS_KEPT_MS, limit));
  const events = await retention.removeOldEvents(hub, hub.settings.keep_events_hours * HOUR_MS, { dryRun: false });
  hub.pruning.events += events;
  return { events };
}

/**
 * Removes old messages, tasks, completions and audit entries. Removal cannot be undone, so it is skipped while the time
 * is in doubt: shortly after a clock jump, and while the hub's clock is ahead of the system clock.
 */
export async function prune(hub: Hub): Promise<Pruned> {
  if (!isTimeCertain(hub)) return NOTHING_PRUNED;
  const removed = await retention.removeOld(hub, hub.settings, { dryRun: false });
  notePruned(hub, removed);
  return removed;
}

/** Includes the events that were removed since the run before. One line an hour at most. */
function notePruned({ pruning, clock, log }: Hub, { events, ...others }: Pruned): void {
  pruning.removed = { events: events + pruning.events, ...others };
  pruning.lastAt = clock.now();
  pruning.events = 0;
  if (Object.values(pruning.removed).some((count) => count > 0)) log.info(pruning.removed, 'old data removed');
}

function isTimeCertain(hub: Hub): boolean {
  return hub.clock.ahead() <= CLOCK_JUMP_MS && isClockSettled(hub);
}

// A machine may start with a wrong clock that is corrected within minutes.
function isClockSettled({ clock, awake }: Hub): boolean {
  return clock.now() - awake.since >= CLOCK_TRUSTED_AFTER_MS;
}

const MEASURED_AT_ONCE = 1_000;

/** Measures how many bytes of text each network stores, if a quota limits them; one page of rows per read. */
export async function measureNetworks(hub: Hub): Promise<{ measured: number }> {
  if (hub.settings.max_network_bytes === 0) return { measured: 0 };
  const finish = hub.networkBytes.begin();
  const found = new Map<string, number>();
  for (let place: Place | undefined = START; place !== undefined; ) {
    if (hub.life.isStopping) return { measured: 0 };
    const from: Place = place;
    const { rows, next } = await hub.store.read((reader) => readTextBytes(reader, from, MEASURED_AT_ONCE));
    for (const { network_id, bytes } of rows) found.set(network_id, (found.get(network_id) ?? 0) + bytes);
    place = next;
  }
  finish(found);
  return { measured: found.size };
}

export async function noteSize({ sizes, store, clock }: Hub): Promise<Record<string, never>> {
  sizes.note({ at: clock.now(), bytes: store.sizes().database });
  return {};
}

export async function pruneIdempotencyKeys(hub: Hub): Promise<{ keys: number }> {
  return {
    keys: await removeInPortions(hub, (tx, limit) => idempotency.removeBefore(tx, tx.now - IDEMPOTENCY_KEPT_MS, limit)),
  };
}

export async function pruneToldSessions(hub: Hub): Promise<{ told: number }> {
  return {
    told: await removeInPortions(hub, (tx, limit) => toldSessions.removeBefore(tx, tx.now - TOLD_KEPT_MS, limit)),
  };
}

/** Starts due deliveries without waiting for them: a slow receiver must not delay others. */
export async function notify(hub: Hub): Promise<{ deliveries: number }> {
  const started = await startDeliveries(hub);
  for (const delivery of started)
    delivery.catch((error: unknown) => {
      if (!isStoringNothing(error)) hub.log.error({ err: error }, 'a delivery to a notifier could not be stored');
    });
  return { deliveries: started.length };
}

export async function pruneDeliveries(hub: Hub): Promise<{ deliveries: number }> {
  return { deliveries: await removeInPortions(hub, deliveries.removeOld) };
}

/** Repeats `remove`, in portions with a commit each, until it finds fewer rows than its limit. Returns their number. */
async function removeInPortions(
  hub: Hub,
  remove: (tx: Transaction, limit: number) => Promise<number>,
): Promise<number> {
  const portions = openPortions();
  let total = 0;
  for (let isLeft = true; isLeft && !hub.life.isStopping; ) {
    const portion = await hub.store.write(async (tx) => {
      let removed = 0;
      const next = await portions.run(true, async (_, limit) => {
        const count = await remove(tx, limit);
        removed += count;
        return count === limit ? true : undefined;
      });
      return { removed, isLeft: next === true };
    });
    total += portion.removed;
    isLeft = portion.isLeft;
  }
  return total;
}
