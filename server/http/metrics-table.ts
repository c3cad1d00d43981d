// The table of metrics: each is read from the hub's counts when requested.

import { TROUBLE_KINDS } from '../domain/health/troubles.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import { type Distribution, SENDS } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';

/** Reads the current number of open streams and waits, and the bytes of bodies being read. */
export type Open = { streams(): number; waits(): number; bodyBytes(): number };

export type Labels = Readonly<Record<string, string>>;
type Values<Value> = readonly (readonly [labels: Labels, value: Value])[];
export type Row<Value> = readonly [
  name: string,
  labels: readonly string[],
  help: string,
  read: (hub: Hub, open: Open) => Values<Value>,
];

export const COUNTERS: readonly Row<number>[] = [
  [
    'agenthub_requests_total',
    ['method', 'route', 'status'],
    'Requests served, by route and status',
    ({ metrics }) =>
      [...metrics.routes.values()].flatMap(({ method, path, statuses }) =>
        [...statuses].map(([status, count]) => [{ method, route: path, status: String(status) }, count] as const),
      ),
  ],
  [
    'agenthub_operations_total',
    ['operation', 'outcome'],
    'Operations run through any interface; each tool call counts as one, whatever the HTTP status of /mcp',
    ({ metrics }) =>
      [...metrics.operations].flatMap(([operation, { ok, refused }]) => [
        [{ operation, outcome: 'ok' }, ok] as const,
        [{ operation, outcome: 'refused' }, refused] as const,
      ]),
  ],
  [
    'agenthub_sends_total',
    ['kind'],
    'Accepted sends',
    ({ metrics }) => Object.entries(SENDS).map(([name, kind]) => [{ kind }, metrics.operations.get(name)?.ok ?? 0]),
  ],
  [
    'agenthub_sends_failed_total',
    ['code'],
    'Sends that failed for a reason of the hub, through any interface, by error code; invalid and limited ones do not count',
    ({ metrics }) => Object.entries(metrics.failedSends).map(([code, count]) => [{ code }, count]),
  ],
  [
    'agenthub_deliveries_total',
    ['stage'],
    'Messages stored, pushed, fetched and acknowledged; tasks started and settled',
    ({ metrics }) => Object.entries(metrics.deliveries).map(([stage, count]) => [{ stage }, count]),
  ],
  [
    'agenthub_notifications_total',
    ['outcome'],
    'Requests to notifiers, except tests: delivered, failed and to be retried, or failed for good',
    ({ metrics }) => Object.entries(metrics.notifications).map(([outcome, count]) => [{ outcome }, count]),
  ],
  [
    'agenthub_slow_readers_closed_total',
    [],
    'Event streams closed because their reader fell behind',
    ({ metrics }) => alone(metrics.slowReaders),
  ],
  [
    'agenthub_connections_closed_total',
    ['reason'],
    'Connections closed by the hub: unread for 30 s, too many pipelined requests, the connection limit, low memory, or an address that aborts too many',
    ({ metrics }) => Object.entries(metrics.connections).map(([reason, count]) => [{ reason }, count]),
  ],
  [
    'agenthub_unread_answers_total',
    ['outcome'],
    'Responses aborted or refused because too many were unread',
    ({ metrics }) => [
      [{ outcome: 'cut_off' }, metrics.unreadResponses.cutOff],
      [{ outcome: 'refused' }, metrics.unreadResponses.refused],
    ],
  ],
  [
    'agenthub_event_loop_stalls_total',
    [],
    'Times that the hub did nothing for over half a second',
    ({ metrics }) => alone(metrics.stalls.count),
  ],
  [
    'agenthub_event_loop_stalled_seconds_total',
    [],
    'Duration of these stalls',
    ({ metrics }) => alone(metrics.stalls.seconds),
  ],
  [
    'agenthub_unexpected_errors_total',
    ['kind'],
    'Unhandled errors; each is logged',
    ({ metrics }) => Object.entries(metrics.unexpected).map(([kind, count]) => [{ kind }, count]),
  ],
  [
    'agenthub_commit_repeats_total',
    [],
    'Group commits that ran again because one of their operations failed after writing',
    ({ metrics }) => alone(metrics.repeatedGroups),
  ],
  [
    'agenthub_login_failures_total',
    [],
    'Logins with a wrong username or password',
    ({ metrics }) => alone(metrics.failedLogins),
  ],
  [
    'agenthub_passwords_hashed_total',
    [],
    'Passwords hashed, to verify or to store them',
    ({ passwords }) => alone(passwords.load().hashed),
  ],
  [
    'agenthub_sweep_runs_total',
    ['sweep'],
    'Sweep runs',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { runs }]) => [{ sweep }, runs]),
  ],
  [
    'agenthub_sweep_failures_total',
    ['sweep'],
    'Failed sweep runs',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { failures }]) => [{ sweep }, failures]),
  ],
  [
    'agenthub_sweep_rows_total',
    ['sweep'],
    'Rows written or removed by sweeps',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { rows }]) => [{ sweep }, rows]),
  ],
  [
    'agenthub_sweep_seconds_total',
    ['sweep'],
    'Time spent in sweeps',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { seconds }]) => [{ sweep }, seconds]),
  ],
];

export const GAUGES: readonly Row<number>[] = [
  ['agenthub_info', ['version'], 'Always 1; the label is the version', ({ version }) => [[{ version }, 1]]],
  ['agenthub_event_streams_open', [], 'Open event streams', (_, open) => alone(open.streams())],
  ['agenthub_waits_open', [], 'Tool calls currently waiting', (_, open) => alone(open.waits())],
  [
    'agenthub_request_body_bytes',
    [],
    'Memory held for request bodies being read',
    (_, open) => alone(open.bodyBytes()),
  ],
  [
    'agenthub_passwords_waiting',
    [],
    'Passwords queued for hashing',
    ({ passwords }) => alone(passwords.load().waiting),
  ],
  ['agenthub_database_bytes', [], 'Size of the database file', (hub) => ofFile(hub, ({ database }) => database)],
  [
    'agenthub_clock_ahead_seconds',
    [],
    'How far hub time is ahead of the system clock after the clock was set back',
    ({ clock }) => alone(clock.ahead() / SECOND_MS),
  ],
  ['agenthub_disk_free_bytes', [], 'Free space on the disk of the data directory', (hub) => ofDisk(hub, 'free')],
  ['agenthub_disk_bytes', [], 'Size of the disk of the data directory', (hub) => ofDisk(hub, 'size')],
  [
    'agenthub_certificate_expiry_timestamp_seconds',
    [],
    'When the TLS certificate that the hub serves expires',
    ({ machine }) => {
      const end = machine.certificateEnd();
      return end === undefined ? [] : alone(end / SECOND_MS);
    },
  ],
  [
    'agenthub_queue_waiting',
    ['queue'],
    'Calls to the database that wait or run',
    ({ store }) => Object.entries(store.queues()).map(([queue, { count }]) => [{ queue }, count]),
  ],
  [
    'agenthub_queue_age_seconds',
    ['queue'],
    'How long the oldest call to the database, or the oldest request that is due to a notifier, has been waiting',
    ({ store, notifiers, clock }) => [
      ...Object.entries(store.queues()).map(([queue, { ageMs }]) => [{ queue }, ageMs / SECOND_MS] as const),
      [{ queue: 'notifiers' }, Math.max(0, clock.now() - (notifiers.oldestDue ?? Infinity)) / SECOND_MS],
    ],
  ],
  [
    'agenthub_trouble',
    ['kind'],
    'Whether the hub has this kind of trouble now: 1 or 0',
    ({ troubles }) => {
      const present = new Set(troubles.listPresent().map(({ kind }) => kind));
      return TROUBLE_KINDS.map((kind) => [{ kind }, present.has(kind) ? 1 : 0]);
    },
  ],
  [
    'agenthub_cluster_hubs',
    [],
    'Hubs that run on the PostgreSQL database; 0 while this hub cannot reach it, and absent on a file like the next two',
    (hub) => ofCluster(hub, ({ hubs }) => hubs().filter(({ is_alive }) => is_alive).length),
  ],
  [
    'agenthub_cluster_leader',
    [],
    'Whether this hub runs the sweeps and the notifiers: 1 or 0',
    (hub) => ofCluster(hub, () => (hub.store.isLeader() ? 1 : 0)),
  ],
  [
    'agenthub_cluster_events_behind',
    [],
    'Stored events that this hub has not sent to its streams yet',
    (hub) => ofCluster(hub, ({ eventsBehind }) => eventsBehind()),
  ],
  ['agenthub_wal_bytes', [], 'Size of the write-ahead log', (hub) => ofFile(hub, ({ log }) => log)],
];

export const HISTOGRAMS: readonly Row<Distribution>[] = [
  [
    'agenthub_request_seconds',
    ['method', 'route'],
    'Response time by route; for a stream, the time to open it',
    ({ metrics }) =>
      [...metrics.routes.values()].map(({ method, path, seconds }) => [{ method, route: path }, seconds]),
  ],
  [
    'agenthub_operation_seconds',
    ['operation'],
    'Duration of operations, including waits',
    ({ metrics }) => [...metrics.operations].map(([operation, { seconds }]) => [{ operation }, seconds]),
  ],
  ['agenthub_commit_writes', [], 'Writes per commit', ({ metrics }) => alone(metrics.groups)],
  ['agenthub_commit_seconds', [], 'Duration of a commit including its writes', ({ metrics }) => alone(metrics.commits)],
];

/** Every agenthub metric, for the reference. */
export const METRICS = [
  ...COUNTERS.map(([name, labels, help]) => ({ name, kind: 'counter', labels, help })),
  ...GAUGES.map(([name, labels, help]) => ({ name, kind: 'gauge', labels, help })),
  ...HISTOGRAMS.map(([name, labels, help]) => ({ name, kind: 'histogram', labels, help })),
];

type Disk = NonNullable<ReturnType<Hub['store']['disk']>>;
type ClusterOf = NonNullable<Hub['store']['cluster']>;

/** Some file systems do not report their space. */
function ofDisk({ store }: Hub, name: keyof Disk): Values<number> {
  const disk = store.disk();
  return disk === undefined ? [] : alone(disk[name]);
}

function ofCluster({ store: { cluster } }: Hub, read: (cluster: ClusterOf) => number): Values<number> {
  return cluster === undefined ? [] : alone(read(cluster));
}

/** Nothing on PostgreSQL. */
function ofFile({ store }: Hub, read: (sizes: ReturnType<Hub['store']['sizes']>) => number): Values<number> {
  return store.cluster === undefined ? alone(read(store.sizes())) : [];
}

function alone<Value>(value: Value): Values<Value> {
  return [[{}, value]];
}
