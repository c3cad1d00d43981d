// alerts print: prints alerting rules for Prometheus. Each is a row of the table below, over the metrics of the hub.
import { say } from './output.ts';

type Rule = { name: string; expression: string; minutes: number; severity: 'critical' | 'warning'; summary: string };

const DEFAULT_JOB = 'agenthub';
/** Every scraped process has metrics of these names. */
const JOB = 'job=$job';

const RULES: readonly Rule[] = [
  {
    name: 'AgenthubNotReady',
    expression:
      'max by (instance, kind) (agenthub_trouble{kind=~"storage_full|writes_stalled|descriptors_low|database_gone"}) == 1',
    minutes: 0,
    severity: 'critical',
    summary: 'the hub is not ready: {{ $labels.kind }}',
  },
  {
    name: 'AgenthubDatabaseStalled',
    expression: 'max by (instance) (agenthub_trouble{kind="database_stalled"}) == 1',
    minutes: 0,
    severity: 'critical',
    summary: 'the database server holds up all writes: check its synchronous standby, its disk, and its locks',
  },
  {
    name: 'AgenthubDatabaseLost',
    expression: 'max by (instance) (agenthub_trouble{kind="database_lost"}) == 1',
    minutes: 0,
    severity: 'critical',
    summary: 'the hub does not reach its database server',
  },
  {
    name: 'AgenthubDiskLow',
    expression:
      'agenthub_disk_free_bytes < 0.1 * agenthub_disk_bytes or agenthub_disk_free_bytes < agenthub_database_bytes',
    minutes: 10,
    severity: 'warning',
    summary: 'the disk of the hub has {{ $value | humanize1024 }}B left; a backup needs as much space as the database',
  },
  {
    name: 'AgenthubDiskFills',
    expression: 'predict_linear(agenthub_disk_free_bytes[6h], 24 * 3600) < 0',
    minutes: 60,
    severity: 'warning',
    summary: 'at its present rate, the disk of the hub is full within a day',
  },
  {
    name: 'AgenthubClockAhead',
    expression: 'agenthub_clock_ahead_seconds > 5',
    minutes: 10,
    severity: 'warning',
    summary:
      'the clock of the machine is {{ $value | humanizeDuration }} behind the newest record of the hub; agenthub doctor has the remedy',
  },
  {
    name: 'AgenthubDescriptorsLow',
    expression: `process_open_fds{${JOB}} / process_max_fds{${JOB}} > 0.85`,
    minutes: 5,
    severity: 'warning',
    summary: 'the hub uses {{ $value | humanizePercentage }} of its file descriptors; raise LimitNOFILE',
  },
  {
    name: 'AgenthubConnectionsRefused',
    expression: 'increase(agenthub_connections_closed_total{reason=~"refused|memory"}[10m]) > 0',
    minutes: 0,
    severity: 'warning',
    summary: 'the hub closed connections for lack of {{ $labels.reason }} capacity',
  },
  {
    name: 'AgenthubClusterBehind',
    expression: 'agenthub_cluster_events_behind > 1000',
    minutes: 5,
    severity: 'warning',
    summary:
      'the hub has {{ $value }} stored events still to send to its streams; the other hubs are faster than this one',
  },
  {
    name: 'AgenthubClusterWithoutLeader',
    expression: 'sum by (job) (agenthub_cluster_leader) == 0',
    minutes: 1,
    severity: 'critical',
    summary:
      'no hub of the cluster runs the sweeps and the notifiers: tasks do not expire; agenthub cluster lists the hubs',
  },
  {
    name: 'AgenthubEventLoopStalls',
    expression: 'increase(agenthub_event_loop_stalls_total[10m]) > 2',
    minutes: 0,
    severity: 'warning',
    summary: 'the hub stood still {{ $value | humanize }} times in 10 minutes; check the CPU and memory of the machine',
  },
  {
    name: 'AgenthubQueueOld',
    expression: 'agenthub_queue_age_seconds{queue=~"reads|writes"} > 5',
    minutes: 1,
    severity: 'critical',
    summary: '{{ $labels.queue }} wait for the database for {{ $value | humanizeDuration }}',
  },
  {
    name: 'AgenthubNotifiersLate',
    expression: 'agenthub_queue_age_seconds{queue="notifiers"} > 300',
    minutes: 5,
    severity: 'warning',
    summary: 'notifications are {{ $value | humanizeDuration }} late; the log of each notifier shows why',
  },
  {
    name: 'AgenthubNotificationsFail',
    expression: 'increase(agenthub_notifications_total{outcome="failed"}[1h]) > 0',
    minutes: 0,
    severity: 'warning',
    summary: 'notifications were given up after all retries; the log of each notifier shows why',
  },
  {
    name: 'AgenthubSendsFail',
    expression: 'sum by (instance, code) (increase(agenthub_sends_failed_total[5m])) > 0',
    minutes: 0,
    severity: 'critical',
    summary: 'the hub could not store {{ $value | humanize }} sends in 5 minutes: {{ $labels.code }}',
  },
  {
    name: 'AgenthubRequestsFail',
    expression: 'sum by (instance) (rate(agenthub_requests_total{status=~"5..",route!="/health/ready"}[5m])) > 0.1',
    minutes: 5,
    severity: 'critical',
    summary: 'the hub fails {{ $value | humanize }} requests a second; the log has their error codes',
  },
  {
    name: 'AgenthubSweepFails',
    expression: 'increase(agenthub_sweep_failures_total[30m]) > 3',
    minutes: 0,
    severity: 'warning',
    summary: 'the background job {{ $labels.sweep }} fails; see the log',
  },
  {
    name: 'AgenthubCertificateExpires',
    expression: 'agenthub_certificate_expiry_timestamp_seconds - time() < 14 * 24 * 3600',
    minutes: 0,
    severity: 'warning',
    summary: 'the TLS certificate of the hub expires in {{ $value | humanizeDuration }}',
  },
  {
    name: 'AgenthubBackupFails',
    expression: 'max by (instance) (agenthub_trouble{kind="backup_failed"}) == 1',
    minutes: 0,
    severity: 'critical',
    summary: 'the last scheduled backup failed, and none has been created since; see the log',
  },
  {
    name: 'AgenthubUnexpectedErrors',
    expression: 'sum by (instance) (increase(agenthub_unexpected_errors_total[15m])) > 0',
    minutes: 0,
    severity: 'warning',
    summary: 'the hub had an error that no code handled; see the log',
  },
  {
    name: 'AgenthubDown',
    expression: `up{${JOB}} == 0`,
    minutes: 2,
    severity: 'critical',
    summary: 'the hub does not return its metrics',
  },
];

export async function alertsPrint({ job = DEFAULT_JOB }: { job?: string }): Promise<void> {
  const heading = [`# For a hub that is scraped as the job "${job}".`, 'groups:', '  - name: agenthub', '    rules:'];
  const rules = RULES.map((rule) => ({ ...rule, expression: rule.expression.replaceAll(JOB, `job="${job}"`) }));
  say([...heading, ...rules.flatMap(linesOf)].join('\n'));
}

/** A JSON string is also a string in YAML. */
function linesOf({ name, expression, minutes, severity, summary }: Rule): string[] {
  return [
    `      - alert: ${name}`,
    `        expr: ${JSON.stringify(expression)}`,
    ...(minutes === 0 ? [] : [`        for: ${minutes}m`]),
    '        labels:',
    `          severity: ${severity}`,
    '        annotations:',
    `          summary: ${JSON.stringify(summary)}`,
  ];
}
