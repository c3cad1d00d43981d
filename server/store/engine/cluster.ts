// What a hub knows about the hubs that share its database.
import type { InspectedDatabase } from '../../domain/health/inspected.ts';
import type { Millis } from '../../domain/time/clock.ts';

export type ClusterHub = {
  hub_id: string;
  /** The name of its machine and the port that it listens on. */
  hub_name: string;
  version: string;
  started_at: Millis;
  /** When it last announced itself, by the clock of the database server. */
  seen_at: Millis;
  /** Whether it has announced itself in the last five seconds. One that stops in order is not listed at all. */
  is_alive: boolean;
  /** Whether it runs the sweeps and the notifiers. */
  is_leader: boolean;
  /** Events that are stored and that it has not published to its streams yet. */
  events_behind: number;
  streams: number;
  /** Whether an operator has asked it to stop. */
  is_draining: boolean;
};

export type DrainOutcome = 'draining' | 'gone' | 'last';

export type Cluster = {
  hubId: string;
  /**
   * In the order of their start. As of the last look, at most 250 ms ago by a hub that reaches the database; none
   * while it cannot be reached.
   */
  hubs(): readonly ClusterHub[];
  /** As `events_behind` of this hub, of this moment. */
  eventsBehind(): number;
  /** Whether the server itself holds up the writes of all hubs, as while its synchronous standby is lost. */
  holdsUpWrites(): boolean;
  /**
   * Asks a hub to stop in order. Returns `gone` if it is not alive, and without `isForced` `last` if no other hub
   * would be left.
   */
  drain(hubId: string, isForced: boolean): Promise<DrainOutcome>;
  /** The version of the schema that this hub needs. */
  schema: number;
  /** Looks for what is wrong with the database. */
  inspect(): Promise<Inspected>;
};

export type Inspected = InspectedDatabase & { hubs: readonly ClusterHub[] | null };

/** What a hub announces about itself. */
export type ClusterSelf = { name: string; version: string; streams: () => number };

export function isServing({ is_alive, is_draining }: ClusterHub): boolean {
  return is_alive && !is_draining;
}
