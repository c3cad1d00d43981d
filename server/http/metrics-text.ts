// What /metrics says: one row a metric, read from the hub's own counts at the moment somebody asks.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Counter, Gauge, Registry } from 'prom-client';
import { SECOND_MS } from '../domain/time/time.ts';
import type { Distribution } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';

/** How many of what stays open are open. */
export type Open = { streams(): number; waits(): number; bodyBytes(): number };

type Labels = Readonly<Record<string, string>>;
type Values<Value> = readonly (readonly [labels: Labels, value: Value])[];
type Row<Value> = readonly [
  name: string,
  labels: readonly string[],
  help: string,
  read: (hub: Hub, open: Open) => Values<Value>,
];

const SENDS = {
  send_task: 'task',
  send_message: 'message',
  send_reply: 'reply',
  reply_to_task: 'reply_to_task',
  broadcast: 'broadcast',
};

const COUNTERS: readonly Row<number>[] = [
  [
    'agenthub_requests_total',
    ['method', 'route', 'status'],
    'Requests answered, by route and status',
    ({ metrics }) =>
      [...metrics.routes.values()].flatMap(({ method, path, statuses }) =>
        [...statuses].map(([status, count]) => [{ method, route: path, status: String(status) }, count] as const),
      ),
  ],
  [
    'agenthub_operations_total',
    ['operation', 'outcome'],
    'Operations over any door; a tool is one, whatever the status of /mcp',
    ({ metrics }) =>
      [...metrics.operations].flatMap(([operation, { ok, refused }]) => [
        [{ operation, outcome: 'ok' }, ok] as const,
        [{ operation, outcome: 'refused' }, refused] as const,
      ]),
  ],
  [
    'agenthub_sends_total',
    ['kind'],
    'Sends that were accepted',
    ({ metrics }) => Object.entries(SENDS).map(([name, kind]) => [{ kind }, metrics.operations.get(name)?.ok ?? 0]),
  ],
  [
    'agenthub_deliveries_total',
    ['stage'],
    'Messages stored, pushed, fetched and acknowledged; tasks started and settled',
    ({ metrics }) => Object.entries(metrics.deliveries).map(([stage, count]) => [{ stage }, count]),
  ],
  [
    'agenthub_slow_readers_closed_total',
    [],
    'Event streams cut off because their reader fell behind',
    ({ metrics }) => alone(metrics.slowReaders),
  ],
  [
    'agenthub_connections_closed_total',
    ['reason'],
    'Connections closed by the hub: unread for 30 s, too many pipelined requests, the connection limit, or memory nearly used up',
    ({ metrics }) => Object.entries(metrics.connections).map(([reason, count]) => [{ reason }, count]),
  ],
  [
    'agenthub_unread_answers_total',
    ['outcome'],
    'Answers cut off or refused because too many waited to be read',
    ({ metrics }) => [
      [{ outcome: 'cut_off' }, metrics.unsent.cutOff],
      [{ outcome: 'refused' }, metrics.unsent.refused],
    ],
  ],
  [
    'agenthub_unexpected_errors_total',
    ['kind'],
    'Errors that no code handled; each is in the log',
    ({ metrics }) => Object.entries(metrics.unexpected).map(([kind, count]) => [{ kind }, count]),
  ],
  [
    'agenthub_commit_repeats_total',
    [],
    'Commits whose writes ran twice, since one failed after it had written',
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
    'Passwords hashed, to check or to keep them',
    ({ passwords }) => alone(passwords.load().hashed),
  ],
  [
    'agenthub_sweep_runs_total',
    ['sweep'],
    'Sweeps that ran',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { runs }]) => [{ sweep }, runs]),
  ],
  [
    'agenthub_sweep_failures_total',
    ['sweep'],
    'Sweeps that failed',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { failures }]) => [{ sweep }, failures]),
  ],
  [
    'agenthub_sweep_rows_total',
    ['sweep'],
    'Rows that sweeps wrote or removed',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { rows }]) => [{ sweep }, rows]),
  ],
  [
    'agenthub_sweep_seconds_total',
    ['sweep'],
    'Time that sweeps took',
    ({ metrics }) => [...metrics.sweeps].map(([sweep, { seconds }]) => [{ sweep }, seconds]),
  ],
];

const GAUGES: readonly Row<number>[] = [
  ['agenthub_info', ['version'], 'Always 1; its label is the version', ({ version }) => [[{ version }, 1]]],
  ['agenthub_event_streams_open', [], 'Event streams open now', (_, open) => alone(open.streams())],
  ['agenthub_waits_open', [], 'Calls of tools that wait now', (_, open) => alone(open.waits())],
  [
    'agenthub_request_body_bytes',
    [],
    'Memory held for request bodies that are being read',
    (_, open) => alone(open.bodyBytes()),
  ],
  [
    'agenthub_passwords_waiting',
    [],
    'Passwords that wait to be hashed',
    ({ passwords }) => alone(passwords.load().waiting),
  ],
  ['agenthub_database_bytes', [], 'Size of the database file', ({ store }) => alone(store.sizes().database)],
  [
    'agenthub_clock_ahead_seconds',
    [],
    'How far the time of the hub is ahead of the clock of the machine, which was set back',
    ({ clock }) => alone(clock.ahead() / SECOND_MS),
  ],
  ['agenthub_wal_bytes', [], 'Size of the write-ahead log', ({ store }) => alone(store.sizes().log)],
];

const HISTOGRAMS: readonly Row<Distribution>[] = [
  [
    'agenthub_request_seconds',
    ['method', 'route'],
    'Time to answer, by route; of a stream, to open it',
    ({ metrics }) =>
      [...metrics.routes.values()].map(({ method, path, seconds }) => [{ method, route: path }, seconds]),
  ],
  [
    'agenthub_operation_seconds',
    ['operation'],
    'Time of operations, waits included',
    ({ metrics }) => [...metrics.operations].map(([operation, { seconds }]) => [{ operation }, seconds]),
  ],
  ['agenthub_commit_writes', [], 'Writes that shared a commit', ({ metrics }) => alone(metrics.groups)],
  ['agenthub_commit_seconds', [], 'Time of a commit with its writes', ({ metrics }) => alone(metrics.commits)],
];

/** All of ours, for the reference. */
export const METRICS = [
  ...COUNTERS.map(([name, labels, help]) => ({ name, kind: 'counter', labels, help })),
  ...GAUGES.map(([name, labels, help]) => ({ name, kind: 'gauge', labels, help })),
  ...HISTOGRAMS.map(([name, labels, help]) => ({ name, kind: 'histogram', labels, help })),
];

function alone<Value>(value: Value): Values<Value> {
  return [[{}, value]];
}

/**
 * The library, and what it measures of the process, is loaded by the first who asks: a hub that nobody watches pays
 * nothing.
 */
export function metricsText(hub: Hub, open: Open): () => Promise<string> {
  let begun: Promise<Registry> | undefined;
  return async () => {
    const registry = await (begun ??= begin(hub, open));
    return `${await registry.metrics()}\n${HISTOGRAMS.map((row) => histogramText(row, hub, open)).join('\n\n')}\n`;
  };
}

const LAG_STEP_MS = 20;

async function begin(hub: Hub, open: Open): Promise<Registry> {
  const { default: prometheus } = await import('prom-client');
  await turn(); // to load it and to set it up are 5 ms each
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_STEP_MS });
  for (const [name, labelNames, help, read] of GAUGES) {
    const fill = (gauge: Gauge): void => read(hub, open).forEach(([labels, value]) => gauge.set(labels, value));
    new prometheus.Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        fill(this);
      },
    });
  }
  for (const [name, labelNames, help, read] of COUNTERS) {
    const fill = (counter: Counter): void => (
      counter.reset(), read(hub, open).forEach(([labels, value]) => counter.inc(labels, value))
    );
    new prometheus.Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        fill(this);
      },
    });
  }
  await sleep(3 * LAG_STEP_MS); // so that there is a lag to tell
  return registry;
}

// The library's own histogram takes 170 ns a value and cannot be filled with counts; ours takes 6.
function histogramText([name, , help, read]: Row<Distribution>, hub: Hub, open: Open): string {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...read(hub, open).flatMap(([labels, seen]) => histogramLines(name, labels, seen)),
  ].join('\n');
}

function histogramLines(name: string, labels: Labels, { bounds, counts, sum }: Distribution): string[] {
  let below = 0;
  const buckets = counts.map(
    (count, place) =>
      `${name}_bucket${labelText({ ...labels, le: String(bounds[place] ?? '+Inf') })} ${(below += count)}`,
  );
  return [...buckets, `${name}_sum${labelText(labels)} ${sum}`, `${name}_count${labelText(labels)} ${below}`];
}

// Patterns of routes and names of operations hold nothing that had to be escaped.
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
