// The diagnostics of a running hub, without any data of its users: what is wrong, sizes and growth, the slowest
// requests, retention and backups.
import { type Finding, fail, ok, warn } from '../../domain/health/finding.ts';
import {
  backupsFinding,
  clockBehindFinding,
  diskFinding,
  expiryFinding,
  filesFinding,
  settingsFindings,
  transportFindings,
} from '../../domain/health/findings.ts';
import { isBackupFile } from '../../domain/health/machine.ts';
import { TROUBLES } from '../../domain/health/troubles.ts';
import { CLOCK_JUMP_MS } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { DAY_MS, SECOND_MS, timestamp, timestampOrNull } from '../../domain/time/time.ts';
import { listSlowest, recentLag } from '../../events/metrics.ts';
import type { Trouble } from '../../events/troubles.ts';
import type { Hub } from '../../hub.ts';

export function diagnosticsOf(hub: Hub) {
  const { settings, clock, metrics, machine, store, troubles, pruning } = hub;
  const now = clock.now();
  const newest = machine.newestBackup();
  const backup = isBackupFile(newest) ? newest : undefined;
  return {
    version: hub.version,
    data: machine.dataDirectory ?? null,
    uptime: Math.floor((now - hub.startedAt) / SECOND_MS),
    findings: findingsOf(hub, now),
    troubles: troubles.listRecent().map(troubleRecord).reverse(),
    sizes: sizesOf(hub, now),
    descriptors: machine.descriptors() ?? null,
    max_connections: Number.isFinite(hub.maxConnections) ? hub.maxConnections : null,
    memory_bytes: process.memoryUsage.rss(),
    streams: hub.openStreams.count(),
    /** `lag_ms` is the 99th percentile of the last minute. */
    event_loop: { stalls: metrics.stalls.count, stalled_seconds: metrics.stalls.seconds, lag_ms: recentLag(metrics) },
    queues: queuesOf(store.queues()),
    slowest: listSlowest(metrics, now).map(({ at, ...request }) => ({ ...request, at: timestamp(at) })),
    retention: {
      keep_events_hours: settings.keep_events_hours,
      keep_messages_days: settings.keep_messages_days,
      keep_tasks_days: settings.keep_tasks_days,
      keep_audit_days: settings.keep_audit_days,
      /** The last hourly run since the start of the hub. */
      last_at: timestampOrNull(pruning.lastAt),
      removed: pruning.removed,
    },
    backup: {
      schedule: settings.backup_schedule,
      last_at: timestampOrNull(backup?.at ?? null),
      bytes: backup?.bytes ?? null,
      failures: metrics.sweeps.get('back-up')?.failures ?? 0,
    },
  };
}

function queuesOf({ writes, reads }: ReturnType<Hub['store']['queues']>) {
  const record = ({ count, ageMs }: typeof writes) => ({ waiting: count, age_ms: Math.round(ageMs) });
  return { writes: record(writes), reads: record(reads) };
}

/** Those of a PostgreSQL database are not known. */
function sizesOf({ store, sizes }: Hub, now: Millis) {
  const { database, log } = store.cluster === undefined ? store.sizes() : { database: null, log: null };
  const disk = store.disk();
  const before = sizes.since(now - DAY_MS);
  return {
    database_bytes: database,
    log_bytes: log,
    disk_free_bytes: disk?.free ?? null,
    disk_bytes: disk?.size ?? null,
    /** Since `since`, a day ago at most. */
    growth_bytes: database === null ? null : database - (before?.bytes ?? database),
    growth_since: timestamp(before?.at ?? now),
  };
}

function findingsOf(hub: Hub, now: Millis): Finding[] {
  const { settings, machine, store } = hub;
  const disk = store.disk();
  const descriptors = machine.descriptors();
  const end = machine.certificateEnd();
  return [
    ...hub.troubles.listPresent().map(troubleFinding),
    ...(disk === undefined ? [] : [diskFinding({ free: disk.free, database: store.sizes().database })]),
    ...(descriptors === undefined ? [] : [filesFinding(descriptors)]),
    ...(store.cluster === undefined
      ? [backupsFinding(machine.newestBackup(), settings.backup_schedule, now, machine.databaseSince())]
      : []), // the tools of PostgreSQL create them
    ...transportFindings(settings),
    ...(end === undefined ? [] : [expiryFinding(end, now)]),
    clockFinding(hub.clock.ahead()),
    programFinding(hub.version, machine.isProgramReplaced()),
    ...clientFindings(hub, now),
    ...settingsFindings(hub.otherSettings.list(settings, now)),
    ...(machine.dataDirectory === undefined ? [] : [ok('data', machine.dataDirectory)]),
  ];
}

function troubleFinding({ kind }: Trouble): Finding {
  const { level, message, isUnready } = TROUBLES[kind];
  return level === 'error'
    ? fail(kind, message, isUnready ? 'the hub is not ready until this ends' : 'the log shows since when')
    : warn(kind, message, 'the log shows since when');
}

function clockFinding(ahead: Millis): Finding {
  return ahead > CLOCK_JUMP_MS ? clockBehindFinding(ahead) : ok('clock', 'not behind the newest record');
}

function programFinding(version: string, isReplaced: boolean): Finding {
  return isReplaced
    ? warn(
        'program',
        `${version} runs, but its file was replaced after the start`,
        'restart the hub to run the new file',
      )
    : ok('program', `${version}, the same file as on disk`);
}

const NAMED = 5;

/** Part of the same check: whether a newer agenthub is around. */
function clientFindings({ newerClients }: Hub, now: Millis): Finding[] {
  return newerClients.list(now).map(([version, names]) => {
    const others = names.length > NAMED ? ` and ${names.length - NAMED} others` : '';
    return warn(
      'program',
      `a newer agenthub (${version}) is used by the command line of ${names.slice(0, NAMED).join(', ')}${others}`,
      'upgrade the hub; agenthub version --check FILE says what an upgrade changes',
    );
  });
}

function troubleRecord({ kind, since, until, facts }: Trouble) {
  return { kind, since: timestamp(since), until: timestampOrNull(until), facts };
}
