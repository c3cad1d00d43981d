// The networks of the signed-in user: list, switch, create and join.
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import type { NetworkRecord } from '../../server/domain/network.ts';
import { account, chooseNetwork } from '../account/account.ts';
import { ExportButton } from '../export/export-button.tsx';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { useAddress } from '../frame/address.ts';
import { showToast } from '../frame/toast.ts';
import { language, words } from '../i18n/language.ts';
import { listNetworks } from '../live/api.ts';
import { matchesWords, useListing } from '../live/listing.ts';
import { loadNetworkPages } from '../live/load.ts';
import { networks } from '../live/store.ts';
import { Age } from '../parts/age.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Empty, NoResults } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { wholeNumber } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { networkPath, PATHS } from '../routes.ts';
import { JoinNetwork, NewNetwork } from './network-forms.tsx';

export default function NetworksPage() {
  const { networks: text } = words.value;
  const { query, pathWith, change } = useAddress();
  const close = () => change({ dialog: undefined });
  return (
    <div class="page page-narrow">
      <PageHead title={text.title} total={networks.value.length}>
        <ExportButton list={networksToExport(query['text'])} />
        <a class="button" data-command href={pathWith({ dialog: 'join' })}>
          {text.join}
        </a>
        <a class="button button-primary" data-command href={pathWith({ dialog: 'new' })}>
          <Icon name="plus" />
          {text.create}
        </a>
      </PageHead>
      <p class="page-lead">{text.lead}</p>
      <List />
      {query['dialog'] === 'new' && <NewNetwork onClose={close} />}
      {query['dialog'] === 'join' && <JoinNetwork onClose={close} />}
    </div>
  );
}

const keyOf = ({ network_id }: NetworkRecord) => network_id;

function List() {
  const { networks: text } = words.value;
  const { query } = useAddress();
  // The network switch in the top bar reads the same records, so the result is stored there.
  const listing = useListing(account.value?.token ?? '', keyOf, async (cursor) => {
    const portion = await loadNetworkPages(cursor);
    if (cursor === undefined) networks.value = portion.rows;
    return portion;
  });
  const all = listing.rows.value ?? [];
  const rows = all.filter((each) => isWanted(each, query['text']));
  const none = all.length === 0 ? <Empty title={text.empty} /> : <NoResults clearPath={PATHS.networks} />;
  return (
    <section class="panel" aria-label={text.title}>
      <FilterBar search={text.search} clearPath={query['text'] === undefined ? undefined : PATHS.networks}>
        {null}
      </FilterBar>
      <ListingTable label={text.title} listing={listing} rows={rows} keyOf={keyOf} columns={columns()} none={none} />
    </section>
  );
}

function isWanted({ network_name, member_role }: NetworkRecord, text: string | undefined): boolean {
  return matchesWords(text, [network_name, member_role && words.value.role[member_role]]);
}

function networksToExport(text: string | undefined): ExportList {
  return {
    name: 'networks',
    of: '',
    columns: [
      'network_id',
      'network_name',
      'member_role',
      'owner_id',
      'visibility',
      'max_members',
      'created_at',
    ] satisfies (keyof NetworkRecord)[],
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const page = await listNetworks({ limit: MAX_REST_LIMIT, cursor });
        return { rows: page.networks.filter((each) => isWanted(each, text)), next: page.next_cursor };
      }),
  };
}

function columns(): Column<NetworkRecord>[] {
  const { networks: text, role, common } = words.value;
  return [
    { name: 'name', label: text.column.name, kind: 'main', cell: (row) => <Name network={row} /> },
    {
      name: 'role',
      label: text.column.role,
      kind: 'short',
      cell: ({ member_role }) => (member_role === null ? '' : role[member_role]),
    },
    {
      name: 'limit',
      label: text.column.limit,
      kind: 'short',
      cell: ({ max_members }) => wholeNumber(max_members, language.value),
    },
    { name: 'created', label: text.column.created, kind: 'short', cell: ({ created_at }) => <Age of={created_at} /> },
    {
      name: 'actions',
      label: common.actions,
      kind: 'actions',
      cell: (row) => (row.network_id === account.value?.network_id ? null : <Watch network={row} />),
    },
  ];
}

function Name({ network: { network_id, network_name } }: { network: NetworkRecord }) {
  return (
    <span class="table-name">
      <a class="table-link" href={networkPath(network_id)} dir="auto">
        {network_name}
      </a>
      {network_id === account.value?.network_id && (
        <span class="tag" data-tone="good">
          {words.value.networks.current}
        </span>
      )}
    </span>
  );
}

function Watch({ network: { network_id, network_name } }: { network: NetworkRecord }) {
  const { networks: text } = words.value;
  const watch = () => {
    chooseNetwork(network_id);
    showToast({ text: text.switched(network_name) });
  };
  return (
    <button type="button" class="button button-small" aria-label={text.switchToNamed(network_name)} onClick={watch}>
      {text.switchTo}
    </button>
  );
}
