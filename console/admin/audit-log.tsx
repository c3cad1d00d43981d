// The audit log of the hub, newest entry first: actions on accounts, tokens, members and networks.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { ExportButton } from '../export/export-button.tsx';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { type AuditRecord, listAuditLog, listUsers } from '../live/api.ts';
import { loadPages, useListing } from '../live/listing.ts';
import { withQuery } from '../live/request.ts';
import { networks } from '../live/store.ts';
import { Moment } from '../parts/age.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { AliasFilter, FilterSelect } from '../parts/filter-bar.tsx';
import { networkPath, PATHS } from '../routes.ts';

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
  const usernames = useUsernames(rows);
  const none = <Empty title={text.noEntries} />;
  return (
    <>
      <Filters actors={[...new Set(rows.map((entry) => entry.actor))].sort()} />
      <ListingTable
        label={text.tab.audit}
        listing={listing}
        rows={rows}
        keyOf={keyOf}
        columns={columns(usernames)}
        none={none}
      />
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
      <ExportButton list={entriesToExport(query)} />
      {isSet && (
        <a class="button button-quiet" href={withQuery(PATHS.admin, { tab: 'audit' })}>
          {filters.clear}
        </a>
      )}
    </search>
  );
}

const EXPORTED = [
  'id',
  'created_at',
  'actor',
  'action',
  'detail',
  'target_type',
  'target_id',
  'network_id',
  'ip',
] as const satisfies readonly (keyof AuditRecord)[];

function entriesToExport({ action, actor }: Record<string, string>): ExportList {
  return {
    name: 'audit-log',
    of: 'hub',
    columns: EXPORTED,
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const { entries, next_cursor } = await listAuditLog({ action, actor, limit: MAX_REST_LIMIT, cursor });
        return { rows: entries, next: next_cursor };
      }),
  };
}

function columns(usernames: ReadonlyMap<string, string>): Column<AuditRecord>[] {
  const { auditColumn: column } = words.value.admin;
  return [
    { name: 'when', label: column.when, kind: 'short', cell: ({ created_at }) => <Moment at={created_at} /> },
    { name: 'actor', label: column.actor, cell: ({ actor }) => <Name text={actor} /> },
    {
      name: 'action',
      label: column.action,
      kind: 'main',
      cell: ({ action, detail }) => (
        <>
          <span title={action}>{actionName(action)}</span>
          <div class="side-note">
            <bdi>{detail}</bdi>
          </div>
        </>
      ),
    },
    { name: 'target', label: column.target, cell: (entry) => <Target entry={entry} usernames={usernames} /> },
    {
      name: 'network',
      label: column.network,
      cell: ({ network_id }) => (network_id === null ? null : <NetworkLink id={network_id} />),
    },
    { name: 'ip', label: column.ip, kind: 'short', cell: ({ ip }) => ip ?? '' },
  ];
}

function Name({ text }: { text: string }) {
  return (
    <bdi class="audit-id" title={text}>
      {text}
    </bdi>
  );
}

/** Loads many users at once, and again only when an unknown user appears. Until then entries show user ids. */
function useUsernames(rows: readonly AuditRecord[]): ReadonlyMap<string, string> {
  const names = useSignal<ReadonlyMap<string, string>>(new Map());
  const unknown = new Set(
    rows.flatMap(({ target_type, target_id }) =>
      target_type === 'user' && target_id !== null && !names.value.has(target_id) ? [target_id] : [],
    ),
  );
  useEffect(() => {
    if (unknown.size === 0) return;
    const whole = loadPages(undefined, async (page) => {
      const { users, next_cursor } = await listUsers(page);
      return { rows: users, next: next_cursor };
    });
    whole.then(
      ({ rows: users }) => (names.value = new Map(users.map(({ user_id, username }) => [user_id, username]))),
      () => {},
    );
  }, [[...unknown].join(' ')]);
  return names.value;
}

type TargetProps = { entry: AuditRecord; usernames: ReadonlyMap<string, string> };

/** Shows the name when the hub returns one, with the id on hover. */
function Target({ entry: { target_type, target_id }, usernames }: TargetProps) {
  if (target_id === null) return <>{typeName(target_type)}</>;
  const name = target_type === 'user' ? usernames.get(target_id) : networkName(target_id);
  return (
    <>
      {typeName(target_type)}{' '}
      <bdi class={name === undefined ? 'mono audit-id' : 'audit-id'} title={target_id}>
        {name ?? target_id}
      </bdi>
    </>
  );
}

function typeName(type: string): string {
  return wordFor(words.value.admin.target, type);
}

function networkName(id: string): string | undefined {
  return networks.value.find(({ network_id }) => network_id === id)?.network_name;
}

function actionName(action: string): string {
  return wordFor(words.value.admin.actions, action);
}

/** A newer hub can audit actions that this console has no text for. */
function wordFor(known: Record<string, string>, name: string): string {
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? name;
}

function NetworkLink({ id }: { id: string }) {
  return (
    <a class="table-link audit-id" href={networkPath(id)} title={id}>
      {networkName(id) ?? id}
    </a>
  );
}
