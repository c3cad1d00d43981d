// Faults of the store: what is acknowledged, what is on disk, and what is accepted as a database.
import { races } from '../delivery/races.ts';
import { backups } from '../storage/backups.ts';
import { badFiles } from '../storage/bad-files.ts';
import { failStop } from '../storage/fail-stop.ts';
import { hostileBackup } from '../storage/hostile-backup.ts';
import { killNine } from '../storage/kill-nine.ts';
import { powerCut } from '../storage/power-cut.ts';
import { readErrors } from '../storage/read-errors.ts';
import { retention } from '../storage/retention.ts';
import { upgrades } from '../storage/upgrades.ts';
import { usedUpQuota } from '../storage/used-up-quota.ts';
import type { Fault } from './fault.ts';

export const STORAGE_FAULTS: readonly Fault[] = [
  {
    name: 'acknowledged before the commit',
    file: 'server/store/engine/group.ts',
    find: '  return {\n    published',
    put: '    for (const act of outcomes.flatMap(({ settle }) => settle)) act();\n    await new Promise((resolve) => setTimeout(resolve, 10));\n  return {\n    published',
    row: killNine,
    expected: /acknowledged \w+( message)? (is missing|came back)|the token is unknown/, // the registration can be lost as well
  },
  {
    name: 'committed without an fsync',
    file: 'server/store/engine/libsql/connection.ts',
    find: 'synchronous: 2',
    put: 'synchronous: 1',
    row: powerCut,
    expected: /acknowledged task is gone/,
  },
  {
    name: 'checkpointed without an fsync',
    file: 'server/store/engine/libsql/database.ts',
    find: 'recipe: RECIPE,\n    maxPages: maxLogPages',
    put: 'recipe: { ...RECIPE, synchronous: 0 },\n    maxPages: 100',
    row: powerCut,
    size: 'quick',
    expected: /acknowledged task is gone|database is damaged/,
  },
  {
    name: 'a full disk reported as success',
    file: 'server/store/engine/group.ts',
    find: 'for (const job of jobs) if (!failure.spared.includes(job)) job.reject(failure.error);',
    put: "for (const job of jobs) String(failure.error).includes('full') ? job.resolve({ ok: true, task_id: 'task_none' }) : job.reject(failure.error);",
    row: usedUpQuota,
    expected: /without space/,
  },
  {
    name: 'continuing after a failed commit',
    file: 'server/store/engine/libsql/database.ts',
    find: '      options.onFatal(error);\n      return { error, spared: [] };',
    put: '      return { error, spared: [] };',
    row: failStop,
    expected: /ended with/,
  },
  {
    name: 'locks of the database lost at the start',
    file: 'server/store/engine/libsql/database.ts',
    find: '  const { now } = options.clock;',
    put: "  const { now } = options.clock;\n  const { closeSync, openSync } = await import('node:fs');\n  closeSync(openSync(file, 'r'));",
    row: backups,
    expected: /agenthub\.db lacks task_/,
  },
  {
    name: 'a damaged file served',
    file: 'server/store/file/integrity.ts',
    find: 'if (damage !== undefined) throw damaged(file, damage);',
    put: '',
    row: badFiles,
    expected: /served, then/,
  },
  {
    name: 'added schema objects not detected',
    file: 'server/store/file/own-schema.ts',
    find: 'if (foreign.length > 0) throw foreignObjects(file, foreign);',
    put: '',
    row: hostileBackup,
    expected: /took it and served|restore ended with 0/,
  },
  {
    name: 'invalid values not detected',
    file: 'server/store/file/integrity.ts',
    find: "return first && wrong[Number(first['which'])]?.says;",
    put: 'return undefined;',
    row: hostileBackup,
    expected: /took it and served|restore ended with 0|does not name it/,
  },
  {
    name: 'a backup copied as a file, without its log',
    file: 'server/store/file/copy.ts',
    find: "await client.execute({ sql: 'VACUUM INTO ?', args: [temporary] }).catch(failedCopy(from, temporary));",
    put: "(await import('node:fs')).copyFileSync(from, temporary);",
    row: backups,
    expected: /lacks task_|left \.\d/,
  },
  {
    name: 'an upgrade without a backup copy',
    file: 'server/store/file/migrate.ts',
    find: 'isOld ? await copyBeforeUpgrade(file, SCHEMA_VERSION) : undefined',
    put: "isOld ? '' : undefined",
    row: upgrades,
    expected: /no copy from before/,
  },
  {
    name: 'a task transition not counted',
    file: 'server/store/migrations/0005-network-keys.sql',
    find: 'VALUES (new.network_seq, new.status, 1)\n  ON CONFLICT (network_seq, status) DO UPDATE SET tasks = tasks + 1;',
    put: 'VALUES (new.network_seq, new.status, 1)\n  ON CONFLICT (network_seq, status) DO UPDATE SET tasks = tasks;',
    row: races,
    expected: /wrong counters: .*task_counts\.tasks of/,
  },
  {
    name: 'exiting before a failed read returns',
    file: 'server/store/engine/libsql/database.ts',
    find: 'setTimeout(() => options.onFatal(error), RESPOND_MS);',
    put: 'options.onFatal(error);',
    row: readErrors,
    expected: /no request was answered with 500/,
  },
  {
    name: 'continuing after a failed read',
    file: 'server/store/engine/libsql/database.ts',
    find: 'setTimeout(() => options.onFatal(error), RESPOND_MS);',
    put: '',
    row: readErrors,
    expected: /it ended with/,
  },
  {
    name: 'a task with an unread reply deleted',
    file: 'server/store/bulk/retention.ts',
    find: 'isExpired: `completed_at < ? AND ${NOTHING_UNREAD}`',
    put: "isExpired: 'completed_at < ?'",
    row: retention,
    expected: /removed although it is to stay/,
  },
];
