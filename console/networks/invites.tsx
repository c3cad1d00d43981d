// The invites of a network, for its owner: create, copy the code while it is shown, withdraw.
import { useComputed, useSignal } from '@preact/signals';
import { DEFAULT_INVITE_DAYS, MAX_INVITE_DAYS, MAX_INVITE_USES, MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { INVITE_ROLES, type InviteRole } from '../../server/domain/network.ts';
import { useHubUrl } from '../connect/hub-url.ts';
import { ExportButton } from '../export/export-button.tsx';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { useAddress } from '../frame/address.ts';
import { language, words } from '../i18n/language.ts';
import { createInvite, type InviteRecord, listInvites, withdrawInvite } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { ActionDialog, ConfirmDialog, useAction } from '../parts/action-dialog.tsx';
import { Age } from '../parts/age.tsx';
import { Choice } from '../parts/choice.tsx';
import { Copyable } from '../parts/copy.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { age, momentOf } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { wholeNumberIn } from '../parts/lengths.ts';
import { useInvites, useOpenNetwork } from './network-data.ts';

const DAYS = [1, DEFAULT_INVITE_DAYS, 30, MAX_INVITE_DAYS] as const;
const keyOf = ({ invite_id }: InviteRecord) => invite_id;

export function Invites() {
  const { network: text } = words.value;
  const { network } = useOpenNetwork();
  const { query, pathWith, change } = useAddress();
  const listing = useInvites(network.network_id);
  const code = useSignal<string | null>(null);
  const rows = listing.rows.value ?? [];
  const withdrawn = rows.find(({ invite_id }) => invite_id === query['withdraw']);
  const showCreated = (invite_code: string) => {
    code.value = invite_code;
    return listing.load();
  };
  return (
    <section class="panel" aria-labelledby="invites-title">
      <header class="panel-head">
        <h2 id="invites-title">{text.invites}</h2>
        <span class="spacer" />
        <ExportButton list={invitesToExport(network)} what={text.invites} />
        <a class="button button-small" href={pathWith({ dialog: 'invite' })}>
          <Icon name="plus" />
          {text.invite}
        </a>
      </header>
      <p class="panel-text">{text.invitesText}</p>
      {code.value !== null && <CreatedInvite code={code.value} />}
      <ListingTable
        label={text.invites}
        listing={listing}
        rows={rows}
        keyOf={keyOf}
        columns={columns(pathWith)}
        none={<p class="list-empty">{text.noInvites}</p>}
      />
      {query['dialog'] === 'invite' && <Invite onCreated={showCreated} onClose={() => change({ dialog: undefined })} />}
      {withdrawn !== undefined && (
        <Withdraw invite={withdrawn} onDone={listing.load} onClose={() => change({ withdraw: undefined })} />
      )}
    </section>
  );
}

/** Without the codes: the hub does not have them. */
function invitesToExport(of: { network_id: string; network_name: string }): ExportList {
  return {
    name: 'invites',
    of: of.network_name,
    columns: ['invite_id', 'role', 'uses', 'max_uses', 'created_at', 'expires_at'] satisfies (keyof InviteRecord)[],
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const { invites, next_cursor } = await listInvites(of.network_id, { limit: MAX_REST_LIMIT, cursor });
        return { rows: invites, next: next_cursor };
      }),
  };
}

function columns(pathWith: ReturnType<typeof useAddress>['pathWith']): Column<InviteRecord>[] {
  const { network: text, role, common } = words.value;
  const { inviteColumn: column } = text;
  const withdraw = ({ invite_id }: InviteRecord) => (
    <a class="button button-small button-quiet" href={pathWith({ withdraw: invite_id })}>
      {text.withdraw}
    </a>
  );
  return [
    { name: 'role', label: column.role, kind: 'main', cell: (invite) => role[invite.role] },
    {
      name: 'uses',
      label: column.uses,
      kind: 'short',
      cell: ({ uses, max_uses }) =>
        uses >= max_uses ? <span class="tag">{text.usedUp}</span> : text.uses(uses, max_uses),
    },
    {
      name: 'expires',
      label: column.expires,
      kind: 'short',
      cell: ({ expires_at }) => <TimeLeft until={expires_at} />,
    },
    { name: 'created', label: column.created, kind: 'short', cell: ({ created_at }) => <Age of={created_at} /> },
    { name: 'actions', label: common.actions, kind: 'actions', cell: withdraw },
  ];
}

function TimeLeft({ until }: { until: string }) {
  const moment = momentOf(until);
  return <LiveTimeLeft key={moment} moment={moment} />;
}

function LiveTimeLeft({ moment }: { moment: number }) {
  const { network: text } = words.value;
  const left = useComputed(() =>
    moment <= now.value ? text.expired : text.expiresIn(age(now.value, moment, language.value)),
  );
  return <span>{left}</span>;
}

function CreatedInvite({ code }: { code: string }) {
  const { network: text } = words.value;
  const hub = useHubUrl();
  return (
    <div class="shown-once" role="status">
      <h3>{text.inviteCreated}</h3>
      <Copyable text={`${hub}/#join=${code}`} what={text.inviteLink} />
      <Copyable text={code} what={text.inviteCode} />
      <p class="field-hint">{text.inviteOnce}</p>
    </div>
  );
}

function Invite({ onCreated, onClose }: { onCreated(code: string): Promise<void>; onClose(): void }) {
  const { network: text, role: roles } = words.value;
  const { network } = useOpenNetwork();
  const role = useSignal<InviteRole>('member');
  const uses = useSignal('1');
  const days = useSignal(String(DEFAULT_INVITE_DAYS));
  const max_uses = useComputed(() => wholeNumberIn(uses.value, 1, MAX_INVITE_USES));
  const form = useAction(onClose, async () => {
    if (max_uses.value === undefined) return undefined;
    const { invite_code } = await createInvite(network.network_id, {
      role: role.value,
      max_uses: max_uses.value,
      expires_in_days: Number(days.value),
    });
    await onCreated(invite_code);
    return '';
  });
  const options = INVITE_ROLES.map((value) => ({ value, label: roles[value] }));
  return (
    <ActionDialog title={text.inviteTitle} form={form} submit={text.inviteSubmit} onClose={onClose}>
      <Choice
        name="invite-role"
        legend={text.inviteRole}
        options={options}
        chosen={role.value}
        onChoose={(value) => (role.value = value)}
        autoFocus
      />
      <p class="field-hint">{text.roles}</p>
      <div class="form-row">
        <TextField
          id="invite-uses"
          label={text.inviteUses}
          value={uses}
          autoComplete="off"
          error={max_uses.value === undefined ? words.value.errors.wholeNumber(1, MAX_INVITE_USES) : undefined}
        />
        <SelectField
          id="invite-days"
          label={text.inviteDays}
          value={days}
          options={DAYS.map((each) => ({ value: String(each), label: text.days(each) }))}
        />
      </div>
    </ActionDialog>
  );
}

function Withdraw({ invite, onDone, onClose }: { invite: InviteRecord; onDone(): Promise<void>; onClose(): void }) {
  const { network: text } = words.value;
  const { network } = useOpenNetwork();
  const withdraw = async () => {
    await withdrawInvite(network.network_id, invite.invite_id);
    await onDone();
    return text.withdrawn;
  };
  return (
    <ConfirmDialog
      title={text.withdrawTitle}
      text={text.withdrawText}
      submit={text.withdraw}
      action={withdraw}
      onClose={onClose}
    />
  );
}
