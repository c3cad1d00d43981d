// The administration page: users, statistics, diagnostics and the audit log of the hub.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { TASK_STATUSES } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import { ExportButton } from '../export/export-button.tsx';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { useAddress } from '../frame/address.ts';
import { language, words } from '../i18n/language.ts';
import { type Health, type HubStats, health, listUsers, showHub, type UserRow } from '../live/api.ts';
import { loadPages, matchesWords, useListing } from '../live/listing.ts';
import { withQuery } from '../live/request.ts';
import { Age } from '../parts/age.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { duration, wholeNumber } from '../parts/format.ts';
import { PageHead } from '../parts/page-head.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { statusNamed } from '../parts/statuses.ts';
import { PATHS } from '../routes.ts';
import { AuditLog } from './audit-log.tsx';
import { DiagnosticsPanel } from './diagnostics.tsx';
import { type Figure, FigureGroups } from './figure-groups.tsx';

const TABS = ['users', 'statistics', 'diagnostics', 'audit'] as const;
const keyOf = ({ user_id }: UserRow) => user_id;

export default function AdminPage() {
  const { admin: text } = words.value;
  const { query } = useAddress();
  const tab = statusNamed(TABS, query['tab']) ?? 'users';
  const isAdmin = account.value?.user.role === 'admin';
  return (
    <div class="page page-narrow page-admin">
      <PageHead title={text.title} />
      {isAdmin && <Tabs chosen={tab} />}
      <section class="panel" aria-label={text.tab[tab]}>
        {!isAdmin && <Empty title={text.adminOnlyTitle} text={text.adminOnlyText} />}
        {isAdmin && tab === 'users' && <Users />}
        {isAdmin && tab === 'statistics' && <Statistics />}
        {isAdmin && tab === 'diagnostics' && <DiagnosticsPanel />}
        {isAdmin && tab === 'audit' && <AuditLog />}
      </section>
    </div>
  );
}

function Tabs({ chosen }: { chosen: (typeof TABS)[number] }) {
  const { admin: text } = words.value;
  return (
    <nav class="tabs" aria-label={text.tabs}>
      {TABS.map((tab) => (
        <a
          key={tab}
          class="tab"
          href={withQuery(PATHS.admin, { tab })}
          aria-current={tab === chosen ? 'page' : undefined}
        >
          {text.tab[tab]}
        </a>
      ))}
    </nav>
  );
}

function Users() {
  const { admin: text } = words.value;
  const { query, pathWith } = useAddress();
  const listing = useListing(
    'users',
    keyOf,
    (cursor) =>
      loadPages(cursor, async (page) => {
        const { users, next_cursor } = await listUsers(page);
        return { rows: users, next: next_cursor };
      }),
    ({ what }) => what === 'users',
  );
  const rows = (listing.rows.value ?? []).filter((user) => isWanted(user, query['text']));
  const { userColumn: column } = text;
  const columns: Column<UserRow>[] = [
    { name: 'name', label: column.name, kind: 'main', cell: (user) => <UserName user={user} /> },
    {
      name: 'role',
      label: column.role,
      kind: 'short',
      cell: ({ role }) => (
        <span class="tag" data-tone={role === 'admin' ? 'accent' : undefined}>
          {text.userRole[role]}
        </span>
      ),
    },
    { name: 'email', label: column.email, cell: ({ email }) => (email ? <bdi>{email}</bdi> : '') },
    { name: 'created', label: column.created, kind: 'short', cell: ({ created_at }) => <Age of={created_at} /> },
  ];
  return (
    <>
      <FilterBar
        search={text.searchUsers}
        clearPath={query['text'] === undefined ? undefined : pathWith({ text: undefined })}
        note={
          listing.rows.value === null ? undefined : words.value.filters.shown(rows.length, listing.rows.value.length)
        }
      >
        <ExportButton list={usersToExport(query['text'])} />
      </FilterBar>
      <ListingTable
        label={text.tab.users}
        listing={listing}
        rows={rows}
        keyOf={keyOf}
        columns={columns}
        none={<Empty title={text.noUsers} />}
      />
    </>
  );
}

function isWanted({ username, display_name, email }: UserRow, text: string | undefined): boolean {
  return matchesWords(text, [username, display_name, email]);
}

function usersToExport(text: string | undefined): ExportList {
  return {
    name: 'users',
    of: 'hub',
    columns: ['user_id', 'username', 'display_name', 'role', 'email', 'created_at', 'disabled'],
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const { users, next_cursor } = await listUsers({ limit: MAX_REST_LIMIT, cursor });
        return { rows: users.filter((user) => isWanted(user, text)), next: next_cursor };
      }),
  };
}

function UserName({ user }: { user: UserRow }) {
  return (
    <span class="table-name">
      <bdi>{user.display_name || user.username}</bdi>
      {user.display_name !== user.username && (
        <span class="row-side" dir="auto">
          {user.username}
        </span>
      )}
      {user.user_id === account.value?.user.user_id && <span class="tag">{words.value.common.you}</span>}
      {user.disabled && (
        <span class="tag" data-tone="warning">
          {words.value.admin.disabled}
        </span>
      )}
    </span>
  );
}

type Known = { hub: Health; figures: HubStats };

function Statistics() {
  const { admin: text, taskStatus } = words.value;
  const known = useStatistics();
  if (known === null) return <SkeletonRows />;
  const {
    hub,
    figures: { networks, users, sessions, tasks },
  } = known;
  const whole = (value: number) => wholeNumber(value, language.value);
  const groups: readonly (readonly Figure[])[] = [
    [
      { label: text.users, value: whole(users) },
      { label: text.networks, value: whole(networks) },
      { label: text.agents, value: whole(sessions.total), side: `${whole(sessions.online)} ${text.online}` },
      { label: text.tasks, value: whole(tasks.total) },
      { label: text.uptime, value: duration(hub.uptime * 1_000, language.value) },
      { label: text.version, value: hub.version },
    ],
    TASK_STATUSES.map((status) => ({ label: taskStatus[status], value: whole(tasks[status]) })),
  ];
  return <FigureGroups groups={groups} />;
}

const REFRESH_MS = 8_000;

function useStatistics(): Known | null {
  const known = useSignal<Known | null>(null);
  useEffect(() => {
    const ask = async () => {
      const [hub, figures] = await Promise.all([health(), showHub()]);
      known.value = { hub, figures };
    };
    // A failed request leaves the previous data in place. The connection banner reports that the hub is unreachable.
    const askAgain = () => void (document.hidden || ask().catch(() => {}));
    askAgain();
    const timer = setInterval(askAgain, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return known.value;
}
