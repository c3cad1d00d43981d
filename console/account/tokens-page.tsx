// The tokens of the signed-in user: network, last use, expiry and revocation.
import { useSignal } from '@preact/signals';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { ExportButton } from '../export/export-button.tsx';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { listTokens, type TokenRecord } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { loadPages, matchesWords, useListing } from '../live/listing.ts';
import { networks } from '../live/store.ts';
import { Age, Moment } from '../parts/age.tsx';
import { Copyable } from '../parts/copy.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar, FilterSelect } from '../parts/filter-bar.tsx';
import { momentOf } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PATHS } from '../routes.ts';
import { account, keepFreshToken } from './account.ts';
import { type CreatedToken, NewToken } from './new-token.tsx';
import { nameOf, RevokeToken } from './revoke-token.tsx';

const KINDS = ['network', 'user'] as const;
const keyOf = ({ token_id }: TokenRecord) => token_id;

export default function TokensPage() {
  const { tokens: text } = words.value;
  const { query, pathWith, change } = useAddress();
  const created = useSignal<CreatedToken | null>(null);
  const listing = useListing(
    account.value?.token ?? '',
    keyOf,
    (cursor) =>
      loadPages(cursor, async (page) => {
        const { tokens, next_cursor } = await listTokens(page);
        return { rows: tokens, next: next_cursor };
      }),
    ({ what }) => what === 'tokens',
  );
  const all = listing.rows.value ?? [];
  const revoked = all.find(({ token_id }) => token_id === query['revoke']);
  const showCreated = (token: CreatedToken) => {
    keepFreshToken(token.network_id, token.token);
    created.value = token;
    return listing.load();
  };
  return (
    <div class="page page-narrow">
      <PageHead title={text.title} total={listing.hasMore.value ? undefined : listing.rows.value?.length}>
        <ExportButton list={tokensToExport(query)} />
        <a class="button button-primary" data-command href={pathWith({ dialog: 'new' })}>
          <Icon name="plus" />
          {text.create}
        </a>
      </PageHead>
      <p class="page-lead">{text.lead}</p>
      {created.value !== null && <CreatedTokenPanel token={created.value} onDismiss={() => (created.value = null)} />}
      <section class="panel" aria-label={text.title}>
        <Filters />
        <ListingTable
          label={text.title}
          listing={listing}
          rows={all.filter(matcherOf(query))}
          keyOf={keyOf}
          columns={columns(pathWith)}
          none={<Empty title={text.noResults} />}
        />
      </section>
      {query['dialog'] === 'new' && <NewToken onCreated={showCreated} onClose={() => change({ dialog: undefined })} />}
      {revoked !== undefined && (
        <RevokeToken token={revoked} onDone={listing.load} onClose={() => change({ revoke: undefined })} />
      )}
    </div>
  );
}

function Filters() {
  const { tokens: text } = words.value;
  const { query } = useAddress();
  const isSet = ['text', 'kind', 'network'].some((name) => query[name] !== undefined);
  return (
    <FilterBar search={text.search} clearPath={isSet ? PATHS.tokens : undefined}>
      <FilterSelect
        name="kind"
        label={text.kinds}
        any={text.anyKind}
        options={KINDS.map((value) => ({ value, label: text.kind[value] }))}
      />
      <FilterSelect
        name="network"
        label={text.network}
        any={text.anyNetwork}
        options={networks.value.map(({ network_id, network_name }) => ({ value: network_id, label: network_name }))}
      />
    </FilterBar>
  );
}

function matcherOf(query: Record<string, string>): (token: TokenRecord) => boolean {
  return (token) =>
    (query['kind'] === undefined || token.kind === query['kind']) &&
    (query['network'] === undefined || token.network_id === query['network']) &&
    matchesWords(query['text'], [nameOf(token)]);
}

/** Without the secrets: the hub does not have them. */
function tokensToExport(query: Record<string, string>): ExportList {
  return {
    name: 'tokens',
    of: '',
    columns: [
      'token_id',
      'name',
      'kind',
      'network_id',
      'created_at',
      'last_used_at',
      'expires_at',
    ] satisfies (keyof TokenRecord)[],
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const { tokens, next_cursor } = await listTokens({ limit: MAX_REST_LIMIT, cursor });
        return { rows: tokens.filter(matcherOf(query)), next: next_cursor };
      }),
  };
}

function columns(pathWith: ReturnType<typeof useAddress>['pathWith']): Column<TokenRecord>[] {
  const { tokens: text, common } = words.value;
  const { column } = text;
  const revoke = (token: TokenRecord) => (
    <a
      class="button button-small button-quiet"
      href={pathWith({ revoke: token.token_id })}
      aria-label={text.revokeNamed(nameOf(token))}
    >
      {text.revoke}
    </a>
  );
  return [
    { name: 'name', label: column.name, kind: 'main', cell: (token) => <Name token={token} /> },
    { name: 'network', label: column.network, cell: ({ network_id }) => networkName(network_id) },
    {
      name: 'used',
      label: column.used,
      kind: 'short',
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span class="muted">{common.never}</span> : <Age of={last_used_at} />,
    },
    { name: 'created', label: column.created, kind: 'short', cell: ({ created_at }) => <Age of={created_at} /> },
    { name: 'expires', label: column.expires, kind: 'short', cell: (token) => <Expiry token={token} /> },
    { name: 'actions', label: common.actions, kind: 'actions', cell: revoke },
  ];
}

function Name({ token }: { token: TokenRecord }) {
  return (
    <span class="table-name">
      <bdi>{nameOf(token)}</bdi>
      <span class="tag" data-tone={token.kind === 'network' ? 'accent' : undefined}>
        {words.value.tokens.kind[token.kind]}
      </span>
      {token.current && (
        <span class="tag" data-tone="good">
          {words.value.tokens.current}
        </span>
      )}
    </span>
  );
}

function networkName(network_id: string | null) {
  const name = networks.value.find((network) => network.network_id === network_id)?.network_name;
  return name === undefined ? '' : <bdi>{name}</bdi>;
}

function Expiry({ token: { expires_at } }: { token: TokenRecord }) {
  const { tokens: text } = words.value;
  if (expires_at === null) return <span class="muted">{text.neverExpires}</span>;
  return momentOf(expires_at) <= now.peek() ? <span class="tag">{text.expired}</span> : <Moment at={expires_at} />;
}

function CreatedTokenPanel({ token: created, onDismiss }: { token: CreatedToken; onDismiss(): void }) {
  const { tokens: text } = words.value;
  return (
    <section class="panel" aria-labelledby="created-title" role="status">
      <div class="shown-once">
        <h2 id="created-title">
          <bdi>{words.value.labelled(text.newToken, created.name)}</bdi>
        </h2>
        <Copyable text={created.token} what={text.newToken} />
        <p class="field-hint">{text.shownOnce}</p>
        <div class="button-row">
          {created.network_id === account.value?.network_id && (
            <a class="button" href={PATHS.connect}>
              {text.connect}
            </a>
          )}
          <button type="button" class="button button-quiet" onClick={onDismiss}>
            {text.dismiss}
          </button>
        </div>
      </div>
    </section>
  );
}
