// The table of agents. Everything that agents report is rendered as plain text.
import { words } from '../i18n/language.ts';
import { AgentRow } from './agent-row.tsx';
import { SortHead, useSort } from './agent-sort.tsx';
import { type RosterRow, SORT_COLUMNS } from './roster.ts';

export function AgentTable({ rows }: { rows: readonly RosterRow[] }) {
  return (
    <table class="list agent-list" role="table" aria-label={words.value.agents.title}>
      <Head />
      <tbody role="rowgroup">
        {rows.map((row) => (
          <AgentRow key={row.agent.resume_id} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Head() {
  const sort = useSort();
  return (
    <thead role="rowgroup">
      <tr role="row">
        {SORT_COLUMNS.map((column) => (
          <SortHead key={column} column={column} sort={sort} />
        ))}
        <th role="columnheader" scope="col" class="cell-actions">
          <span class="visually-hidden">{words.value.agents.column.actions}</span>
        </th>
      </tr>
    </thead>
  );
}
