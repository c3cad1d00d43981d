// Faults as they are made in good faith, each with the row that must catch it and what the row must say.
import { strangersBodies } from './abuse/heavy-bodies.ts';
import { changesOfRights } from './abuse/places-and-rights.ts';
import { backups } from './backups.ts';
import { badFiles } from './bad-files.ts';
import { clockJumps } from './clock-jumps.ts';
import { crashByRequest } from './crash-by-request.ts';
import { exactlyOnce } from './exactly-once.ts';
import { failStop } from './fail-stop.ts';
import { firstUsers } from './first-users.ts';
import { hostileBackup } from './hostile-backup.ts';
import { invites } from './invites.ts';
import { killNine } from './kill-nine.ts';
import { limits } from './limits.ts';
import { powerCut } from './power-cut.ts';
import { races } from './races.ts';
import type { Row } from './row.ts';
import { secrets } from './secrets.ts';
import { sleep } from './sleep.ts';
import { smallMemoryUnder } from './small-memory.ts';
import type { Change } from './source-copy.ts';
import { stalledReaders } from './stalled-readers.ts';
import { strangers } from './strangers.ts';
import { streamReplay } from './stream-replay.ts';
import { tenantsUnder } from './tenants.ts';
import { upgrades } from './upgrades.ts';
import { usedUpQuota } from './used-up-quota.ts';

export type Fault = Change & { name: string; row: Row; says: RegExp };

export const FAULTS: readonly Fault[] = [
  {
    name: 'answered before the commit',
    file: 'server/store/group.ts',
    find: '    await transaction.commit();',
    put: '    for (const act of outcomes.flatMap(({ settle }) => settle)) act();\n    await new Promise((resolve) => setTimeout(resolve, 10));\n    await transaction.commit();',
    row: killNine,
    says: /acknowledged \w+( message)? (is missing|came back)/,
  },
  {
    name: 'committed without an fsync',
    file: 'server/store/connection.ts',
    find: 'synchronous: 2',
    put: 'synchronous: 1',
    row: powerCut,
    says: /acknowledged task is gone/,
  },
  {
    name: 'a full disk taken for done',
    file: 'server/store/group.ts',
    find: 'for (const job of jobs) job.reject(isForSpace ? storageFull() : error);',
    put: "for (const job of jobs) isForSpace ? job.resolve({ ok: true, task_id: 'task_none' }) : job.reject(error);",
    row: usedUpQuota,
    says: /without space/,
  },
  {
    name: 'going on after a failed commit',
    file: 'server/store/group.ts',
    find: 'if (!isForSpace) ends.onFatal(error);',
    put: '',
    row: failStop,
    says: /ended with/,
  },
  {
    name: 'a damaged file served from',
    file: 'server/store/soundness.ts',
    find: 'if (damage !== undefined) throw damaged(file, damage);',
    put: '',
    row: badFiles,
    says: /served, then/,
  },
  {
    name: 'objects that somebody added to the schema overlooked',
    file: 'server/store/foreign-objects.ts',
    find: 'if (foreign.length > 0) throw foreignObjects(file, foreign);',
    put: '',
    row: hostileBackup,
    says: /took it and served|restore ended with 0/,
  },
  {
    name: 'values that no hub stores overlooked',
    file: 'server/store/soundness.ts',
    find: "return first && wrong[Number(first['which'])]?.says;",
    put: 'return undefined;',
    row: hostileBackup,
    says: /took it and served|restore ended with 0|does not name it/,
  },
  {
    name: 'a backup copied as a file, without its log',
    file: 'server/store/copy.ts',
    find: "await client.execute({ sql: 'VACUUM INTO ?', args: [draft] }).catch(tellOfFullDisk);",
    put: "(await import('node:fs')).copyFileSync(from, draft);",
    row: backups,
    says: /lacks task_/,
  },
  {
    name: 'an upgrade without a copy from before',
    file: 'server/store/migrate.ts',
    find: 'isOld ? await copyBeforeUpgrade(file, SCHEMA_VERSION) : undefined',
    put: "isOld ? '' : undefined",
    row: upgrades,
    says: /no copy from before/,
  },
  {
    name: 'the guard of the moves missing',
    file: 'server/domain/task.ts',
    find: '  if (!mayMove(task, verb)) throw',
    put: '  if (!mayMove(task, verb) && verb === undefined) throw',
    row: races,
    says: /winners/,
  },
  {
    name: 'replay starts one event late',
    file: 'server/operations/records/follow-events.ts',
    find: 'return { position: wanted };',
    put: 'return { position: wanted + 1 };',
    row: streamReplay,
    says: /[1-9]\d* gaps/,
  },
  {
    name: 'replay starts one event early',
    file: 'server/operations/records/follow-events.ts',
    find: 'return { position: wanted };',
    put: 'return { position: Math.max(0, wanted - 1) };',
    row: streamReplay,
    says: /[1-9]\d* duplicates/,
  },
  {
    name: 'written without end to a reader that is behind',
    file: 'server/http/stream-writer.ts',
    find: 'return response.write(frameOf(event));',
    put: 'return response.write(frameOf(event)) || true;',
    row: stalledReaders,
    says: /memory grew|left open/,
  },
  {
    name: 'the first answer to a key forgotten',
    file: 'server/operations/messages/send-once.ts',
    find: 'if (first !== undefined) return first;',
    put: 'if (first !== undefined && tx.now < 0) return first;',
    row: exactlyOnce,
    says: /tasks stored/,
  },
  {
    name: 'the uses of an invite not counted',
    file: 'server/store/invites.ts',
    find: 'SET uses = uses + 1 WHERE',
    put: 'SET uses = uses WHERE',
    row: invites,
    says: /admitted/,
  },
  {
    name: 'the first user looked for outside of the insert',
    file: 'server/store/users.ts',
    find: "CASE WHEN EXISTS (SELECT 1 FROM users) THEN 'user' ELSE 'admin' END",
    put: "CASE WHEN (SELECT count(*) FROM users) > 1 THEN 'user' ELSE 'admin' END",
    row: firstUsers,
    says: /admins: 2/,
  },
  {
    name: 'one login more than the limit',
    file: 'server/http/rate-limits.ts',
    find: '    max,\n    duration',
    put: '    max: max + 1,\n    duration',
    row: limits,
    says: /logins refused: 14/,
  },
  {
    name: 'the query of a request in the log',
    file: 'server/http/request-log.ts',
    find: 'route: routeOf(ctx),',
    put: 'route: ctx.url,',
    row: secrets,
    says: /ntok_\w+ in log/,
  },
  {
    name: 'the network of a task not looked at',
    file: 'server/store/tasks.ts',
    find: 'WHERE t.network_seq = ?1 AND t.task_seq =',
    put: 'WHERE ?1 = ?1 AND t.task_seq =',
    row: strangers,
    says: /shown to a stranger/,
  },
  {
    name: 'agents of one name heard as one, whatever their networks',
    file: 'server/events/broker.ts',
    find: '`${networkId} ${alias}`',
    put: 'alias',
    row: strangers,
    says: /shown to a stranger/,
  },
  {
    name: 'every missed second walked',
    file: 'server/sweeps/schedule.ts',
    find: '        begin(row);',
    put: "        for (let at = dueAt; at <= now; at += row.every) hub.log.warn({ sweep: row.name, at }, 'missed');\n        begin(row);",
    row: sleep,
    says: /log lines/,
  },
  {
    name: 'a sleep taken for silence',
    file: 'server/hub.ts',
    find: '      onWake(clock.now());',
    put: '',
    row: sleep,
    says: /the status of an agent of before: offline/,
  },
  {
    name: 'time that waits for the clock of the machine',
    file: 'server/domain/clock.ts',
    find: 'moment + elapsed * (1 - CLOCK_SLEW)',
    put: 'moment',
    row: clockJumps,
    says: /a task of 2 s/,
  },
  {
    name: 'records that follow the clock back',
    file: 'server/domain/clock.ts',
    find: 'const next = Math.max(present, ',
    put: 'const next = Math.min(present, present + ',
    row: clockJumps,
    says: /came after a later one/,
  },
  {
    name: 'a path that is no path taken for a fault of the hub',
    file: 'server/http/app.ts',
    find: "if (!ctx.url.startsWith('/')) throw invalidInput(",
    put: "if (!ctx.url.startsWith('/')) throw new Error(",
    row: crashByRequest,
    says: /internal error|request failed/,
  },
  {
    name: 'half a mebibyte kept of every request',
    file: 'server/http/request-log.ts',
    find: 'const start = performance.now();',
    put: 'const start = performance.now(); (globalThis.kept ??= []).push(Buffer.alloc(524_288, 1));',
    row: crashByRequest,
    says: /memory grows/,
  },
  {
    name: 'streams of all ended by the end of one token',
    file: 'server/events/revocations.ts',
    find: 'if (token_id !== undefined && token_id !== caller.token_id) return false;',
    put: 'if (token_id !== undefined) return true;',
    row: tenantsUnder([changesOfRights]),
    says: /a stream was ended|wait_task returned early/,
  },
  {
    name: 'as much kept of every request as a small machine has for three',
    file: 'server/http/request-log.ts',
    find: 'const start = performance.now();',
    put: 'const start = performance.now(); (globalThis.kept ??= []).push(Buffer.alloc(209_715_200, 1));',
    row: smallMemoryUnder([strangersBodies]),
    says: /the hub ended with/,
  },
];
