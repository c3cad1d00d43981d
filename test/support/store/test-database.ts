// A migrated database with the network net_1 in a temporary directory, opened as the store opens it.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { StreamEvent } from '../../../server/domain/events.ts';
import { openHubClock } from '../../../server/domain/time/clock.ts';
import type { Database, DatabaseOptions } from '../../../server/store/engine/database.ts';
import { openDatabase } from '../../../server/store/engine/open-database.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import { temporaryDirectory } from '../test-hub.ts';
import { createDatabase } from './new-database.ts';

export type TestDatabase = Database & {
  file: string;
  clock: ManualClock;
  /** Errors that would end the process. */
  fatal: unknown[];
  /** Errors after a commit. */
  errors: unknown[];
  /** One entry per commit: the events that it published. */
  published: (readonly StreamEvent[])[];
};

export async function openTestDatabase(
  onPublish: (events: readonly StreamEvent[]) => void = () => {},
  before?: DatabaseOptions['before'],
  elapsed = (): number => 0,
  more: Pick<DatabaseOptions, 'maxLogPages'> = {},
): Promise<TestDatabase> {
  const file = join(temporaryDirectory(), 'agenthub.db');
  await createDatabase(file);
  foundNet1(file);
  const clock = manualClock();
  const fatal: unknown[] = [];
  const errors: unknown[] = [];
  const published: (readonly StreamEvent[])[] = [];
  const publish = (events: readonly StreamEvent[]): void => {
    published.push(events);
    onPublish(events);
  };
  const database = await openDatabase({
    database: file,
    clock: openHubClock(clock, { onJump: () => {}, onAhead: () => {}, onUnusable: () => {} }),
    ...(before && { before }),
    elapsed,
    publish,
    ...more,
    onError: (error) => void errors.push(error),
    onFatal: (error) => void fatal.push(error),
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= database.close());
  onTestFinished(close);
  return { ...database, close, file, clock, fatal, errors, published };
}

/** Runs before the database is opened, so that it is not a commit of the test. */
function foundNet1(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`INSERT INTO users (user_id, username, username_key, display_name, role, password_hash, created_at) VALUES ('usr_1', 'ada', 'ada', 'Ada', 'admin', '', 0);
    INSERT INTO networks (network_id, network_name, owner_id, max_members, created_at) VALUES ('net_1', 'home', 'usr_1', 50, 0)`);
  database.close();
}

/** The smallest write: one row of the audit log, without references. */
export function note(database: Pick<Database, 'write'>, action: string): Promise<void> {
  return database.write(async (tx) => void (await tx.run(NOTE, [action, tx.now])));
}

export const NOTE = "INSERT INTO audit_log (actor, action, target_type, created_at) VALUES ('test', ?, 'test', ?)";

export async function notes(database: Pick<Database, 'read'>): Promise<string[]> {
  const rows = await database.read((reader) =>
    reader.all<{ action: string }>('SELECT action FROM audit_log ORDER BY entry_seq'),
  );
  return rows.map(({ action }) => action);
}
