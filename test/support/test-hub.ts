// A complete in-process hub: a real database in a temporary directory, a manual clock, sequential ids, and every
// operation through the same `perform` as in production.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openInProcessHub } from '../../scripts/support/in-process-hub.ts';
import type { Caller, Membership } from '../../server/domain/accounts/caller.ts';
import type { Ids } from '../../server/domain/ids/ids.ts';
import type { Log } from '../../server/domain/log.ts';
import type { NetworkRole } from '../../server/domain/network.ts';
import type { Settings } from '../../server/domain/settings.ts';
import type { Hub } from '../../server/hub.ts';
import type { HubOptions } from '../../server/open-hub.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { countedIds } from './store/counted-ids.ts';
import { createDatabase } from './store/new-database.ts';
import { createPostgres, ON_POSTGRES } from './store/postgres.ts';

export type TestHub = Hub & { clock: Hub['clock'] & ManualClock; fatal: unknown[]; file: string };

export const DEFAULT_SETTINGS: Settings = {
  offline_after_seconds: 600,
  heartbeat_seconds: 30,
  sweep_seconds: 30,
  trial_days: 0,
  trust_proxy: 0,
  host: '127.0.0.1',
  tls_cert: undefined,
  allowed_hosts: [],
  allowed_origins: [],
  public_url: undefined,
  require_setup_token: false,
  registration: 'open',
  metrics: 'loopback',
  metrics_token: undefined,
  notifier_addresses: 'public',
  backup_schedule: 'off',
  keep_events_hours: 24,
  keep_messages_days: 90,
  keep_tasks_days: 365,
  keep_audit_days: 365,
  max_networks: 100,
  max_memberships: 200,
  max_tokens: 1_000,
  max_invites: 1_000,
  max_notifiers: 20,
  max_sessions: 50_000,
  max_nodes: 50_000,
  max_pending_messages: 100_000,
  max_streams_per_user: 2_000,
  max_waits_per_user: 2_000,
  max_requests_per_minute: 0,
  max_broadcasts_per_minute: 0,
  max_changes_per_minute: 0,
  max_network_bytes: 0,
};

/** Proves to a public test hub that its operator registers the first user. */
export const SETUP_TOKEN = 'theSetupTokenOfTests';

/** A hub that is closed and deleted with the test. `fatal` collects errors that would end the process. */
export async function openTestHub(
  settings: Partial<Settings> = {},
  log?: Log,
  file = join(temporaryDirectory(), 'agenthub.db'),
): Promise<TestHub> {
  if (ON_POSTGRES) return openOn(await createPostgres(), manualClock(), countedIds(), settings, log);
  if (!existsSync(file)) await createDatabase(file);
  return openOn(file, manualClock(), countedIds(), settings, log);
}

/** The hub after a restart: the same records and clock, with empty memory. */
export async function restartTestHub(hub: TestHub): Promise<TestHub> {
  await hub.store.close();
  return openOn(hub.file, hub.clock, hub.ids, hub.settings, hub.log);
}

/** A hub on a PostgreSQL database. */
export function openHubOn(
  database: string,
  settings: Partial<Settings> = {},
  more: Pick<HubOptions, 'name' | 'onDrain'> = { name: 'alone' },
): Promise<TestHub> {
  return openOn(database, manualClock(), countedIds(), settings, undefined, more);
}

/** Two hubs on one PostgreSQL database, with one clock. */
export async function openTwoHubs(onDrain = (_name: string): void => {}): Promise<[TestHub, TestHub]> {
  const [database, clock] = [await createPostgres(), manualClock()];
  const open = (name: string, ids: Ids) =>
    openOn(database, clock, ids, {}, undefined, { name, onDrain: () => onDrain(name) });
  return [await open('one', countedIds()), await open('two', countedIds(1_000_000))];
}

async function openOn(
  file: string,
  clock: ManualClock,
  ids: Ids,
  settings: Partial<Settings>,
  log?: Log,
  more: Pick<HubOptions, 'name' | 'onDrain'> = { name: 'alone' },
): Promise<TestHub> {
  const fatal: unknown[] = [];
  const hub = await openInProcessHub({
    settings: { ...DEFAULT_SETTINGS, ...settings },
    setupToken: SETUP_TOKEN,
    ...(log !== undefined && { log }),
    database: file,
    ...more,
    onFatal: (error) => void fatal.push(error),
    time: clock,
    ids,
  });
  const close = once(async () => {
    hub.life.isStopping = true;
    await hub.unfinishedBroadcasts.waitForAll();
    await hub.store.close();
  });
  onTestFinished(close);
  return { ...hub, clock: { ...clock, ...hub.clock }, fatal, file, store: { ...hub.store, close } };
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Inserts a network with its owner into the store, and returns a caller with a token of it in the given role. */
export async function foundNetwork(hub: Hub, role: NetworkRole = 'member'): Promise<Caller & { network_id: string }> {
  const networkId = hub.ids.next('net');
  const userId = hub.ids.next('usr');
  await hub.store.write(async (tx) => {
    await tx.run(
      "INSERT INTO users (user_id, username, username_key, display_name, role, password_hash, created_at) VALUES (?, ?, ?, ?, 'user', '', ?)",
      [userId, userId, userId, userId, tx.now],
    );
    await tx.run(
      'INSERT INTO networks (network_id, network_name, owner_id, max_members, created_at) VALUES (?, ?, ?, 50, ?)',
      [networkId, networkId, userId, tx.now],
    );
    await tx.run(
      "INSERT INTO members (network_id, user_id, role, joined_at) VALUES (?, ?, 'owner', ?)",
      [networkId, userId, tx.now],
      'rights',
    );
  });
  return callerIn([{ network_id: networkId, role, trial_ends_at: null }], userId);
}

function callerIn(memberships: [Membership], userId: string): Caller & { network_id: string } {
  return {
    ip: '127.0.0.1',
    token_id: 'tok_test',
    token_kind: 'network',
    user_id: userId,
    username: userId,
    system_role: 'user',
    memberships,
    network_id: memberships[0].network_id,
  };
}
