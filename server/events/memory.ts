// State that a hub keeps only in memory: caches, counters for limits, and waiters. It is empty after a restart.
import { DUPLICATE_WINDOW_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import { openTenantTurns, type TenantTurns } from '../domain/time/turn-share.ts';
import { type CallerCache, openCallerCache } from './caller-cache.ts';
import { type Changes, openChanges } from './changes.ts';
import { type Checkups, openCheckups } from './checkups.ts';
import { type Exchange, openExchange } from './exchange.ts';
import { type Heartbeats, openHeartbeats } from './heartbeats.ts';
import { type MinuteRates, openMinuteRates } from './limits/minute-rates.ts';
import { type NetworkBytes, type NodeCounts, openNetworkBytes, openNodeCounts } from './limits/network-usage.ts';
import { openSlidingCounter, type SlidingCounter, sharedCounter } from './limits/sliding-window.ts';
import { type Metrics, openMetrics } from './metrics.ts';
import { type NotifierMemory, openNotifierMemory } from './notifier-memory.ts';
import { type OtherSettings, openOtherSettings } from './other-settings.ts';
import { openRenames, type Renames } from './renames.ts';
import { openRevocations, type Revocations } from './revocations.ts';
import { openSizes, type Sizes } from './sizes.ts';
import { type NewerClients, openNewerClients, openUsageCounts, type UsageCounts } from './usage.ts';
import { openWriteBehind, type WriteBehind } from './write-behind.ts';

export type Memory = {
  revocations: Revocations;
  changes: Changes;
  callerCache: CallerCache;
  /** Turns for reading a page of missed events: one page per tenant and event loop turn. */
  replays: TenantTurns;
  /** Where the hubs on one database tell each other what they know. */
  exchange: Exchange;
  recentSends: SlidingCounter;
  failedLogins: SlidingCounter;
  /** Correct passwords at login and password change: they must not lock out other users of an address. */
  passwordUses: SlidingCounter;
  /** Users who are changing their own password. */
  changingPassword: Set<string>;
  rates: MinuteRates;
  networkBytes: NetworkBytes;
  nodeCounts: NodeCounts;
  checkups: Checkups;
  writeBehind: WriteBehind;
  heartbeats: Heartbeats;
  metrics: Metrics;
  usage: UsageCounts;
  newerClients: NewerClients;
  otherSettings: OtherSettings;
  /** Set by the HTTP application. */
  openStreams: { count: () => number; end: () => void };
  sizes: Sizes;
  renames: Renames;
  notifiers: NotifierMemory;
  /** The number of sessions marked offline and of tasks expired since the start. */
  timedOut: { sessions: number; tasks: number };
  pruning: Pruning;
  /** `isStopping` is true from the start of shutdown. */
  life: { isStopping: boolean };
};

/** What the hub has removed for its age: in the last hourly run, and the events that were removed since. */
export type Pruning = { lastAt: Millis | null; removed: Pruned; events: number };

/** Removed records by kind. */
export type Pruned = Record<'events' | 'messages' | 'tasks' | 'completions' | 'nodes' | 'audit_entries', number>;

export const NOTHING_PRUNED: Pruned = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };

const REMEMBERED_KEYS = 50_000;

export function openMemory(): Memory {
  const exchange = openExchange();
  const counter = (limit: string, windowMs: Millis, isUrgent = false): SlidingCounter =>
    sharedCounter(exchange, limit, openSlidingCounter(windowMs, REMEMBERED_KEYS), isUrgent);
  return {
    revocations: openRevocations(),
    changes: openChanges(exchange),
    callerCache: openCallerCache(),
    replays: openTenantTurns(),
    exchange,
    recentSends: counter('recent_sends', DUPLICATE_WINDOW_MS),
    failedLogins: counter('failed_logins', MINUTE_MS, true),
    passwordUses: counter('password_uses', MINUTE_MS, true),
    changingPassword: new Set(),
    rates: openMinuteRates(exchange),
    networkBytes: openNetworkBytes(exchange),
    nodeCounts: openNodeCounts(exchange),
    checkups: openCheckups(exchange),
    writeBehind: openWriteBehind(),
    heartbeats: openHeartbeats(),
    metrics: openMetrics(),
    usage: openUsageCounts(),
    newerClients: openNewerClients(),
    otherSettings: openOtherSettings(exchange),
    openStreams: { count: () => 0, end: () => {} },
    sizes: openSizes(),
    renames: openRenames(),
    notifiers: openNotifierMemory(exchange),
    timedOut: { sessions: 0, tasks: 0 },
    pruning: { lastAt: null, removed: NOTHING_PRUNED, events: 0 },
    life: { isStopping: false },
  };
}
