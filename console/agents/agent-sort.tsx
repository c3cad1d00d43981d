// How agents are sorted: links in the head of their table and, where it has no head, a field. The order is part of the
// address.
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';
import { firstSort, nextSort, type Sort, type SortColumn, STATUS_COLUMNS, sortName, sortNamed } from './roster.ts';

export function useSort(): Sort {
  return sortNamed(useAddress().query['sort']);
}

/** A table head that is not visible has a label without a link. */
export function SortHead({ column, sort }: { column: SortColumn; sort: Sort }) {
  const { pathWith } = useAddress();
  const label = words.value.agents.column[column];
  const isSorted = sort.column === column;
  const direction = sort.isDescending ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      class={`cell-${column}`}
      aria-sort={isSorted ? direction : undefined}
      data-sort={isSorted ? direction : undefined}
    >
      <span class="sort-label">{label}</span>
      <a class="sort-link" href={pathWith({ sort: sortName(nextSort(column, sort)) })}>
        {label}
        <Icon name="chevron" />
      </a>
    </th>
  );
}

type SortFieldProps = { sort: Sort; columns?: readonly SortColumn[] };

/** Offers each column in its first direction, and the current sort. */
export function SortField({ sort, columns = STATUS_COLUMNS }: SortFieldProps) {
  const { change } = useAddress();
  const { attention, column, sortBy, reversed } = words.value.agents;
  const current = sortName(sort) ?? '';
  const options = columns.map((name) => ({ value: sortName(firstSort(name)) ?? '', label: column[name] }));
  const isListed = options.some(({ value }) => value === current);
  const choose = (event: { currentTarget: { value: string } }) =>
    change({ sort: event.currentTarget.value || undefined });
  return (
    <select class="filter-select sort-field" aria-label={sortBy} value={current} onChange={choose}>
      {!isListed && <option value={current}>{reversed(column[sort.column])}</option>}
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {value === '' ? attention : label}
        </option>
      ))}
    </select>
  );
}
