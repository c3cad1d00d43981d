// The members of a network. The owner can change roles and remove members.
import { useSignal } from '@preact/signals';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { INVITE_ROLES, type InviteRole } from '../../server/domain/network.ts';
import { ExportButton } from '../export/export-button.tsx';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { useAddress } from '../frame/address.ts';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { changeMember, listMembers, type MemberRecord, removeMember } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { matchesWords } from '../live/listing.ts';
import { ConfirmDialog } from '../parts/action-dialog.tsx';
import { Age } from '../parts/age.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { Notice } from '../parts/notice.tsx';
import { isMe, useMembers, useOpenNetwork } from './network-data.ts';

const SEARCH_FROM = 8;
const keyOf = ({ user_id }: MemberRecord) => user_id;
const nameOf = ({ display_name, username }: MemberRecord) => display_name || username;

export function Members() {
  const { network: text } = words.value;
  const { network, isOwner, reload } = useOpenNetwork();
  const { query, pathWith, change } = useAddress();
  const listing = useMembers(network.network_id);
  const problem = useSignal<string | null>(null);
  const all = listing.rows.value ?? [];
  const rows = all.filter((member) => isWanted(member, query['text']));
  const leaving = all.find(({ user_id }) => user_id === query['remove']);
  const reloadAll = () => Promise.all([listing.load(), reload()]);

  async function setRole(member: MemberRecord, role: InviteRole): Promise<void> {
    problem.value = null;
    await changeMember(network.network_id, member.user_id, role).then(
      () => showToast({ text: text.roleChanged(nameOf(member), words.value.role[role]) }),
      (error: unknown) => (problem.value = errorText(error)),
    );
    await reloadAll();
  }

  const removeLink = (member: MemberRecord) =>
    member.role === 'owner' ? null : <RemoveLink member={member} path={pathWith({ remove: member.user_id })} />;
  const { memberColumn: column } = text;
  const columns: Column<MemberRecord>[] = [
    { name: 'name', label: column.name, kind: 'main', cell: (member) => <Name member={member} /> },
    {
      name: 'role',
      label: column.role,
      kind: 'short',
      cell: (member) => <Role member={member} onChoose={(role) => void setRole(member, role)} />,
    },
    { name: 'joined', label: column.joined, kind: 'short', cell: ({ joined_at }) => <Age of={joined_at} /> },
    ...(isOwner
      ? [{ name: 'actions', label: words.value.common.actions, kind: 'actions' as const, cell: removeLink }]
      : []),
  ];
  return (
    <section class="panel" aria-labelledby="members-title">
      <header class="panel-head">
        <h2 id="members-title">{text.members}</h2>
        <ExportButton list={membersToExport(network, query['text'])} what={text.members} />
      </header>
      <p class="panel-text">{text.roles}</p>
      {problem.value !== null && (
        <div class="panel-text">
          <Notice tone="error">{problem.value}</Notice>
        </div>
      )}
      {(all.length > SEARCH_FROM || query['text'] !== undefined) && (
        <FilterBar
          search={text.searchMembers}
          clearPath={query['text'] === undefined ? undefined : pathWith({ text: undefined })}
        >
          {null}
        </FilterBar>
      )}
      <ListingTable
        label={text.members}
        listing={listing}
        rows={rows}
        keyOf={keyOf}
        columns={columns}
        none={<Empty title={text.noMembersFound} />}
      />
      {leaving !== undefined && (
        <Remove member={leaving} onClose={() => change({ remove: undefined })} onDone={reloadAll} />
      )}
    </section>
  );
}

function isWanted({ username, display_name }: MemberRecord, text: string | undefined): boolean {
  return matchesWords(text, [username, display_name]);
}

function membersToExport(of: { network_id: string; network_name: string }, text: string | undefined): ExportList {
  return {
    name: 'members',
    of: of.network_name,
    columns: ['user_id', 'username', 'display_name', 'role', 'joined_at'] satisfies (keyof MemberRecord)[],
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const { members, next_cursor } = await listMembers(of.network_id, { limit: MAX_REST_LIMIT, cursor });
        return { rows: members.filter((member) => isWanted(member, text)), next: next_cursor };
      }),
  };
}

function Name({ member }: { member: MemberRecord }) {
  return (
    <span class="table-name">
      <bdi>{nameOf(member)}</bdi>
      {nameOf(member) !== member.username && (
        <span class="row-side" dir="auto">
          {member.username}
        </span>
      )}
      {isMe(member.user_id) && <span class="tag">{words.value.common.you}</span>}
    </span>
  );
}

function Role({ member, onChoose }: { member: MemberRecord; onChoose(role: InviteRole): void }) {
  const { isOwner } = useOpenNetwork();
  const { role, network: text } = words.value;
  if (!isOwner || member.role === 'owner') return <span>{role[member.role]}</span>;
  const choose = ({ currentTarget }: { currentTarget: { value: string } }) => {
    const chosen = INVITE_ROLES.find((name) => name === currentTarget.value);
    if (chosen !== undefined) onChoose(chosen);
  };
  return (
    <select class="select" aria-label={text.roleOf(nameOf(member))} value={member.role} onChange={choose}>
      {INVITE_ROLES.map((name) => (
        <option key={name} value={name}>
          {role[name]}
        </option>
      ))}
    </select>
  );
}

function RemoveLink({ member, path }: { member: MemberRecord; path: string }) {
  const { network: text } = words.value;
  return (
    <a class="button button-small button-quiet" href={path} aria-label={text.removeNamed(nameOf(member))}>
      {text.removeMember}
    </a>
  );
}

function Remove({ member, onClose, onDone }: { member: MemberRecord; onClose(): void; onDone(): Promise<unknown> }) {
  const { network: text } = words.value;
  const { network } = useOpenNetwork();
  const remove = async () => {
    await removeMember(network.network_id, member.user_id);
    await onDone();
    return text.removed(nameOf(member));
  };
  return (
    <ConfirmDialog
      title={text.removeTitle(nameOf(member))}
      text={text.removeText}
      submit={text.removeMember}
      action={remove}
      onClose={onClose}
    />
  );
}
