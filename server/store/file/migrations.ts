// The migrations. Without the database engine, so that a command can print the version of the schema anywhere.
import first from '../migrations/0001-first.sql' with { type: 'text' };
import disabledUsers from '../migrations/0002-disabled-users.sql' with { type: 'text' };
import availability from '../migrations/0003-availability.sql' with { type: 'text' };
import lean from '../migrations/0004-lean.sql' with { type: 'text' };
import networkKeys from '../migrations/0005-network-keys.sql' with { type: 'text' };
import boundedWork from '../migrations/0006-bounded-work.sql' with { type: 'text' };
import unfinishedWork from '../migrations/0007-unfinished-work.sql' with { type: 'text' };
import progress from '../migrations/0008-progress.sql' with { type: 'text' };
import notifiers from '../migrations/0009-notifiers.sql' with { type: 'text' };
import durations from '../migrations/0010-durations.sql' with { type: 'text' };
import statusSince from '../migrations/0011-status-since.sql' with { type: 'text' };
import toldSessions from '../migrations/0012-told-sessions.sql' with { type: 'text' };
import lastStatus from '../migrations/0013-last-status.sql' with { type: 'text' };

/**
 * Each migrates a file from the version of its index to the next. A released migration never changes, because existing
 * files contain its exact SQL.
 */
export const MIGRATIONS: readonly string[] = [
  first,
  disabledUsers,
  availability,
  lean,
  networkKeys,
  boundedWork,
  unfinishedWork,
  progress,
  notifiers,
  durations,
  statusSince,
  toldSessions,
  lastStatus,
];
export const SCHEMA_VERSION = MIGRATIONS.length;
