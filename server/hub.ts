// The hub, as operations, sweeps and HTTP handlers receive it. open-hub.ts creates it.

import type { SetupToken } from './domain/accounts/setup-token.ts';
import type { Machine } from './domain/health/machine.ts';
import type { Ids } from './domain/ids/ids.ts';
import type { PublicIds } from './domain/ids/public-ids.ts';
import type { Log } from './domain/log.ts';
import type { Settings } from './domain/settings.ts';
import type { HubClock, Millis } from './domain/time/clock.ts';
import type { Broker } from './events/broker.ts';
import type { HookSessions } from './events/hook-sessions.ts';
import type { Memory } from './events/memory.ts';
import type { Troubles } from './events/troubles.ts';
import type { UnfinishedBroadcasts } from './events/unfinished-broadcasts.ts';
import type { Passwords } from './native/passwords.ts';
import type { Outgoing } from './outgoing/outgoing.ts';
import type { Database } from './store/engine/database.ts';

/** The parts that the opener of a hub provides. */
export type Given = {
  version: string;
  settings: Settings;
  /** The URL of the hub on this machine; undefined if it has no listener. */
  url?: string;
  /** The URL that people open; undefined if the hub has no listener. */
  consoleUrl?: string;
  passwords: Passwords;
  log: Log;
  machine: Machine;
  /** The maximum number of open connections of the listener. */
  maxConnections: number;
  /** Scales the memory limits for bodies and responses: above 0, at most 1. */
  memoryShare: number;
};

export type Hub = Given &
  Memory & {
    startedAt: Millis;
    /** Since when heartbeats could reach the hub: its start, or the end of a sleep. */
    awake: { since: Millis };
    setup: SetupToken;
    clock: HubClock;
    ids: Ids;
    publicIds: PublicIds;
    outgoing: Outgoing;
    store: Database;
    troubles: Troubles;
    broker: Broker;
    hookSessions: HookSessions;
    /** Large broadcasts that are being delivered. */
    unfinishedBroadcasts: UnfinishedBroadcasts;
  };
