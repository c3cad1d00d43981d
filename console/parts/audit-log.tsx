// The audit log of the hub: who did what to accounts, tokens, members and networks, newest first.
import { useAddress } from '../address.ts';
import { type AuditRecord, listAuditLog } from '../api.ts';
import { words } from '../i18n/language.ts';
import { useListing } from '../listing.ts';
import { PATHS, networkPath } from '../routes.ts';
import { withQuery } from '../request.ts';
import { networks } from '../store.ts';
import { Moment } from './age.tsx';
import { Empty } from './empty.tsx';
import { AliasFilter, FilterSelect } from './filter-bar.tsx';
import { type Column, ListedSheet } from './sheet.tsx';

const keyOf = ({ id }: AuditRecord) => id;

export function AuditLog() {
  const { admin: text } = words.value;
  const { query } = useAddress();
  const { action, actor } = query;
  const listing = useListing(`${action} ${actor}`, keyOf, async (cursor) => {
    const { entries, next_cursor } = await listAuditLog({ action, actor, cursor });
    return { rows: entries, next: next_cursor };
  });
  const rows = listing.rows.value ?? [];
  const none = <Empty title={text.noEntries} />;
  return (
    <>
      <Filters actors={[...new Set(rows.map((entry) => entry.actor))].sort()} />
      <ListedSheet label={text.tab.audit} listing={listing} rows={rows} keyOf={keyOf} columns={columns()} none={none} />
    </>
  );
}

function Filters({ actors }: { actors: readonly string[] }) {
  const { admin: text, filters } = words.value;
  const { query } = useAddress();
  const actions = Object.entries(text.actions).map(([value, label]) => ({ value, label }));
  const isSet = query['action'] !== undefined || query['actor'] !== undefined;
  return (
    <search class="filters" aria-label={filters.label}>
      <FilterSelect name="action" label={text.action} any={text.anyAction} options={actions} />
      <AliasFilter name="actor" label={text.actor} aliases={actors} />
      {isSet && <a class="button button-quiet" href={withQuery(PATHS.admin, { tab: 'audit' })}>{filters.clear}</a>}
    </search>
  );
}

function columns(): Column<AuditRecord>[] {
  const { auditColumn: column } = words.value.admin;
  return [
    { name: 'when', label: column.when, kind: 'short', cell: ({ created_at }) => <Moment at={created_at} /> },
    { name: 'actor', label: column.actor, cell: ({ actor }) => <bdi>{actor}</bdi> },
    { name: 'action', label: column.action, kind: 'main', cell: ({ action }) => <span title={action}>{actionName(action)}</span> },
    { name: 'detail', label: column.detail, cell: ({ detail }) => (detail === null ? '' : <bdi>{detail}</bdi>) },
    { name: 'target', label: column.target, cell: ({ target_type, target_id }) => <span class="mono audit-id" title={target_id ?? ''}>{target_type} {target_id}</span> },
    { name: 'network', label: column.network, cell: ({ network_id }) => (network_id === null ? null : <NetworkLink id={network_id} />) },
    { name: 'ip', label: column.ip, kind: 'short', cell: ({ ip }) => ip ?? '' },
  ];
}

/** A newer hub may audit what this console has no words for. */
function actionName(action: string): string {
  const names: Record<string, string> = words.value.admin.actions;
  return (Object.hasOwn(names, action) ? names[action] : undefined) ?? action;
}

function NetworkLink({ id }: { id: string }) {
  const name = networks.value.find(({ network_id }) => network_id === id)?.network_name;
  return <a class="sheet-link audit-id" href={networkPath(id)} title={id}>{name ?? id}</a>;
}
