// A plain table out of a list of columns: columns where its panel is wide, labelled lines where it is narrow.
import type { ComponentChildren } from 'preact';
import { words } from '../i18n/language.ts';
import type { Listing } from '../live/listing.ts';
import { ListFailed } from './load-failed.tsx';
import { SkeletonRows } from './skeleton.tsx';

export type Column<Row> = {
  name: string;
  label: string;
  cell: (row: Row) => ComponentChildren;
  /** The one that says what the row is; the one with what can be done with it; a short one that keeps its width. */
  kind?: 'main' | 'act' | 'short';
};

type SheetProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
};

export function Sheet<Row>({ label, columns, rows, keyOf }: SheetProps<Row>) {
  return (
    <table class="sheet" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ name, label: text, kind }) => (
            <th key={name} role="columnheader" scope="col" data-kind={kind}>
              {kind === 'act' ? <span class="off-screen">{text}</span> : text}
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
      {kind !== 'act' && (
        <span class="sheet-label" aria-hidden="true">
          {label}
        </span>
      )}
      {content}
    </td>
  );
}

type ListedProps<Row> = SheetProps<Row> & { listing: Listing<Row>; none: ComponentChildren };

/** The sheet of a listing, with what stands there before it, instead of it and after it. */
export function ListedSheet<Row>({ listing, none, ...sheet }: ListedProps<Row>) {
  const { rows, failed, hasMore, load, loadMore } = listing;
  return (
    <>
      {failed.value && <ListFailed onRetry={load} />}
      {rows.value === null && !failed.value && <SkeletonRows />}
      {rows.value !== null && (sheet.rows.length === 0 ? none : <Sheet {...sheet} />)}
      {hasMore.value && (
        <button type="button" class="button panel-more" onClick={() => void loadMore()}>
          {words.value.sheet.more}
        </button>
      )}
    </>
  );
}
