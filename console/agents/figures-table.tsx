// The agents with their figures, so that they can be compared. The first row is the whole network.
import type { ComponentChildren } from 'preact';
import { decimal, failuresOf, lasting, percent } from '../fleet/figure-text.ts';
import { words } from '../i18n/language.ts';
import type { AgentFigures, Figures, FigureTimes } from '../live/api.ts';
import { AgentStatus } from '../parts/status.tsx';
import { WindowedRows } from '../parts/windowed/windowed-rows.tsx';
import { agentPath } from '../routes.ts';
import { SortHead, useSort } from './agent-sort.tsx';
import { FIGURE_COLUMNS, type RosterRow, type SortColumn } from './roster.ts';

type FiguresTableProps = { rows: readonly RosterRow[]; network: Figures };

export function FiguresTable({ rows, network }: FiguresTableProps) {
  const { agents: text } = words.value;
  return (
    <table class="list figure-list" role="table" aria-label={text.views.figures} aria-rowcount={rows.length + 2}>
      <Head />
      <tbody role="rowgroup">
        <tr role="row" class="row figure-total">
          <th role="rowheader" scope="row" class="cell-agent">
            {text.allAgents}
          </th>
          <FigureCells figures={network} />
        </tr>
      </tbody>
      <WindowedRows tag="tbody" rows={rows} keyOf={keyOf} render={(row) => <FiguresRow row={row} />} />
    </table>
  );
}

const keyOf = ({ agent }: RosterRow) => agent.resume_id;

function Head() {
  const sort = useSort();
  return (
    <thead role="rowgroup">
      <tr role="row">
        {FIGURE_COLUMNS.map((column) => (
          <SortHead key={column} column={column} sort={sort} />
        ))}
      </tr>
    </thead>
  );
}

function FiguresRow({ row: { agent, figures, stuckSince } }: { row: RosterRow }) {
  const { alias, status } = agent;
  return (
    <tr role="row" class="row" data-status={status} data-stuck={stuckSince !== undefined}>
      <th role="rowheader" scope="row" class="cell-agent">
        <a class="row-link" href={agentPath(alias)} dir="auto" title={alias}>
          {alias}
        </a>
      </th>
      <td role="cell" class="cell-status">
        <AgentStatus status={status} isStuck={stuckSince !== undefined} />
      </td>
      {figures !== undefined && <FigureCells figures={figures} />}
    </tr>
  );
}

function FigureCells({ figures }: { figures: Figures | AgentFigures }) {
  const { queue_age_ms, time_to_start, time_to_settle, failure_rate, settled_per_hour } = figures;
  return (
    <>
      <Cell column="wait">{queue_age_ms !== null && lasting(queue_age_ms)}</Cell>
      <Cell column="start" side={<Slowest times={time_to_start} />}>
        {time_to_start.p50_ms !== null && lasting(time_to_start.p50_ms)}
      </Cell>
      <Cell column="settle" side={<Slowest times={time_to_settle} />}>
        {time_to_settle.p50_ms !== null && lasting(time_to_settle.p50_ms)}
      </Cell>
      <Cell column="failed" side={failure_rate !== null && words.value.figures.of(...failuresOf(figures))}>
        {failure_rate !== null && percent(failure_rate)}
      </Cell>
      <Cell column="settled">{decimal(settled_per_hour)}</Cell>
    </>
  );
}

function Slowest({ times: { p95_ms } }: { times: FigureTimes }) {
  if (p95_ms === null) return null;
  const { figures: text } = words.value;
  return <span title={text.p95(lasting(p95_ms))}>{text.slowest(lasting(p95_ms))}</span>;
}

type CellProps = { column: SortColumn; side?: ComponentChildren; children: ComponentChildren };

function Cell({ column, side, children }: CellProps) {
  return (
    <td role="cell" class={`cell-${column}`}>
      <span class="figure-label" aria-hidden="true">
        {words.value.agents.column[column]}
      </span>
      <span>{children || '–'}</span> {side && <span class="side-note">{side}</span>}
    </td>
  );
}
