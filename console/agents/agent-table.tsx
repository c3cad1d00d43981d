// The table of agents. Everything that agents report is rendered as plain text.
import { words } from '../i18n/language.ts';
import { WindowedRows } from '../parts/windowed/windowed-rows.tsx';
import { AgentRow } from './agent-row.tsx';
import { SortHead, useSort } from './agent-sort.tsx';
import { type RosterRow, STATUS_COLUMNS } from './roster.ts';

export function AgentTable({ rows }: { rows: readonly RosterRow[] }) {
  const label = words.value.agents.title;
  return (
    <table class="list agent-list" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <Head />
      <WindowedRows tag="tbody" rows={rows} keyOf={keyOf} render={(row) => <AgentRow row={row} />} />
    </table>
  );
}

const keyOf = ({ agent }: RosterRow) => agent.resume_id;

function Head() {
  const sort = useSort();
  return (
    <thead role="rowgroup">
      <tr role="row">
        {STATUS_COLUMNS.map((column) => (
          <SortHead key={column} column={column} sort={sort} />
        ))}
        <th role="columnheader" scope="col" class="cell-actions">
          <span class="visually-hidden">{words.value.agents.column.actions}</span>
        </th>
      </tr>
    </thead>
  );
}
