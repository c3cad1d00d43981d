// A table built from column definitions: columns in a wide panel, labelled lines in a narrow one.
import type { ComponentChildren } from 'preact';
import { words } from '../i18n/language.ts';
import type { Listing } from '../live/listing.ts';
import { ListFailed } from './load-failed.tsx';
import { SkeletonRows } from './skeleton.tsx';

export type Column<Row> = {
  name: string;
  label: string;
  cell: (row: Row) => ComponentChildren;
  /** The column that identifies the row, the column with the actions, or a short column with a fixed width. */
  kind?: 'main' | 'actions' | 'short';
};

type DataTableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
};

export function Sheet<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <table class="table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, label: text, kind }) => (
            <th key={name} role="columnheader" scope="col" data-kind={kind}>
              {kind === 'actions' ? <span class="visually-hidden">{text}</span> : text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map((column) => (
              <Cell key={column.name} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column: { kind, label, cell }, row }: { column: Column<Row>; row: Row }) {
  const content = cell(row);
  if (kind === 'main')
    return (
      <th role="rowheader" scope="row" data-kind="main">
        {content}
      </th>
    );
  return (
    <td role="cell" data-kind={kind} data-none={content === null || content === ''}>
      {kind !== 'actions' && (
        <span class="table-label" aria-hidden="true">
          {label}
        </span>
      )}
      {content}
    </td>
  );
}

type ListingTableProps<Row> = DataTableProps<Row> & { listing: Listing<Row>; none: ComponentChildren };

/** The table of a paginated listing with its loading, empty and error states. */
export function ListingTable<Row>({ listing, none, ...sheet }: ListingTableProps<Row>) {
  const { rows, failed, hasMore, load, loadMore } = listing;
  return (
    <>
      {failed.value && <ListFailed onRetry={load} />}
      {rows.value === null && !failed.value && <SkeletonRows rows={1} />}
      {rows.value !== null && (sheet.rows.length === 0 ? none : <Sheet {...sheet} />)}
      {hasMore.value && (
        <button type="button" class="button panel-more" onClick={() => void loadMore()}>
          {words.value.common.showMore}
        </button>
      )}
    </>
  );
}
