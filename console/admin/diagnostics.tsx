// The diagnostics of the hub: what is wrong, sizes, the slowest requests, and who uses it most. The findings are those
// of `agenthub doctor`, in its words.
import { useSignal } from '@preact/signals';
import { language, words } from '../i18n/language.ts';
import { type Diagnostics, showDiagnostics, type Used } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { useRefreshed } from '../live/refreshed.ts';
import { Age } from '../parts/age.tsx';
import { type Column, Sheet } from '../parts/data-table.tsx';
import { byteSize, duration, momentOf, wholeNumber } from '../parts/format.ts';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { type Figure, FigureGroups } from './figure-groups.tsx';

const TONES = { ok: 'good', warn: 'warning', fail: 'bad' } as const;

export function DiagnosticsPanel() {
  const retries = useSignal(0);
  const { known, failed } = useRefreshed(`diagnostics ${retries}`, showDiagnostics);
  if (known.value !== null) return <Shown {...known.value} />;
  return failed.value ? <ListFailed onRetry={() => (retries.value += 1)} /> : <SkeletonRows />;
}

function Shown({ findings, slowest, tokens, networks, ...facts }: Diagnostics) {
  const { admin, pages } = words.value;
  const { diagnostics: text, auditColumn } = admin;
  return (
    <>
      <Table
        title={text.findings}
        rows={findings}
        columns={[
          { name: 'check', label: text.check, kind: 'main', cell: ({ check }) => check },
          {
            name: 'level',
            label: text.result,
            kind: 'short',
            cell: ({ level }) => (
              <span class="tag" data-tone={TONES[level]}>
                {text.level[level]}
              </span>
            ),
          },
          {
            name: 'says',
            label: text.detail,
            cell: ({ says, remedy }) => (
              <div lang="en">
                {says}
                {remedy !== undefined && <div class="side-note">→ {remedy}</div>}
              </div>
            ),
          },
        ]}
      />
      <FigureGroups groups={figuresOf(facts)} />
      <Table
        title={text.slowest}
        rows={slowest}
        columns={[
          { name: 'route', label: text.request, kind: 'main', cell: ({ method, route }) => `${method} ${route}` },
          { name: 'status', label: text.result, kind: 'short', cell: ({ status }) => status },
          { name: 'ms', label: text.time, kind: 'short', cell: ({ ms }) => `${whole(ms)} ms` },
          { name: 'at', label: auditColumn.when, kind: 'short', cell: ({ at }) => <Age of={at} /> },
        ]}
      />
      <Table
        title={pages.tokens}
        rows={tokens}
        columns={usage<Diagnostics['tokens'][number]>(
          ({ name, username, token_id }) => `${name ?? token_id} (${username ?? '?'})`,
        )}
      />
      <Table
        title={pages.networks}
        rows={networks}
        columns={usage<Diagnostics['networks'][number]>(({ network_name, network_id }) => network_name ?? network_id)}
      />
    </>
  );
}

type TableProps<Row> = { title: string; rows: readonly Row[]; columns: readonly Column<Row>[] };

function Table<Row>({ title, rows, columns }: TableProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <>
      <header class="panel-head">
        <h2>{title}</h2>
      </header>
      <Sheet label={title} rows={rows} columns={columns} keyOf={(row) => String(rows.indexOf(row))} />
    </>
  );
}

function usage<Row extends Used>(nameOf: (row: Row) => string): Column<Row>[] {
  const { diagnostics: text } = words.value.admin;
  return [
    { name: 'name', label: text.name, kind: 'main', cell: (row) => <bdi>{nameOf(row)}</bdi> },
    { name: 'calls', label: text.calls, kind: 'short', cell: ({ calls }) => whole(calls) },
    { name: 'refused', label: text.refused, kind: 'short', cell: ({ refused }) => whole(refused) },
    { name: 'time', label: text.time, kind: 'short', cell: ({ seconds }) => `${whole(seconds)} s` },
  ];
}

const whole = (value: number): string => wholeNumber(value, language.value);

type Facts = Omit<Diagnostics, 'findings' | 'slowest' | 'tokens' | 'networks'>;

function figuresOf({
  sizes,
  descriptors,
  memory_bytes,
  streams,
  event_loop,
  retention,
  backup,
  ...facts
}: Facts): Figure[][] {
  const { admin, agent, network, pages } = words.value;
  const { diagnostics: text } = admin;
  const size = (bytes: number | null) => (bytes === null ? '?' : byteSize(bytes, language.value));
  const hours = (count: number) => (count === 0 ? '∞' : duration(count * 3_600_000, language.value));
  const { removed } = retention;
  const since = duration(now.peek() - momentOf(sizes.growth_since), language.value);
  return [
    [
      { label: text.database, value: size(sizes.database_bytes) },
      { label: text.growth, value: size(sizes.growth_bytes), side: since },
      { label: text.diskFree, value: size(sizes.disk_free_bytes) },
      { label: text.memory, value: size(memory_bytes) },
      {
        label: text.files,
        value: descriptors === null ? '?' : whole(descriptors.open),
        ...(descriptors !== null && { side: `/ ${whole(descriptors.max)}` }),
      },
      {
        label: text.streams,
        value: whole(streams),
        ...(facts.max_connections !== null && { side: `/ ${whole(facts.max_connections)}` }),
      },
      { label: text.lag, value: `${event_loop.lag_ms} ms` },
      { label: text.stalls, value: whole(event_loop.stalls) },
      {
        label: text.backup,
        value: backup.last_at === null ? '–' : <Age of={backup.last_at} />,
        ...(backup.bytes !== null && { side: size(backup.bytes) }),
      },
    ],
    [
      { label: text.kept(text.events), value: hours(retention.keep_events_hours) },
      { label: text.kept(admin.tasks), value: hours(retention.keep_tasks_days * 24) },
      { label: text.kept(pages.messages), value: hours(retention.keep_messages_days * 24) },
      { label: text.kept(admin.tab.audit), value: hours(retention.keep_audit_days * 24) },
    ],
    [
      { label: text.pruned, value: retention.last_at === null ? '–' : <Age of={retention.last_at} /> },
      { label: text.events, value: whole(removed.events) },
      { label: admin.tasks, value: whole(removed.tasks) },
      { label: pages.messages, value: whole(removed.messages) },
      { label: agent.completions, value: whole(removed.completions) },
      { label: network.nodes, value: whole(removed.nodes) },
      { label: admin.tab.audit, value: whole(removed.audit_entries) },
    ],
  ];
}
