// Leaving a network, and deleting it as its owner.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { account } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { deleteNetwork, removeMember, showNetwork } from '../live/api.ts';
import { RequestError } from '../live/request.ts';
import { ActionDialog, ConfirmDialog, useAction } from '../parts/action-dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { PATHS } from '../routes.ts';
import { leaveNetwork } from './leave-network.ts';
import { useOpenNetwork } from './network-data.ts';

export function LeaveOrDelete() {
  const { network: text } = words.value;
  const { isOwner } = useOpenNetwork();
  const { query, pathWith, change } = useAddress();
  const close = () => change({ dialog: undefined });
  const [title, reason, dialog] = isOwner
    ? [text.delete, text.deleteText, 'delete']
    : [text.leave, text.leaveText, 'leave'];
  return (
    <section class="panel danger-zone" aria-labelledby="end-title">
      <header class="panel-head">
        <h2 id="end-title">{title}</h2>
      </header>
      <div class="panel-body danger-row">
        <p>{reason}</p>
        <a class="button button-danger" href={pathWith({ dialog })}>
          {title}
        </a>
      </div>
      {isOwner && query['dialog'] === 'delete' && <Delete onClose={close} />}
      {!isOwner && query['dialog'] === 'leave' && <Leave onClose={close} />}
    </section>
  );
}

function Leave({ onClose }: { onClose(): void }) {
  const { network: text } = words.value;
  const { network } = useOpenNetwork();
  const { route } = useLocation();
  const leave = async () => {
    await removeMember(network.network_id, account.value?.user.user_id ?? '');
    await leaveNetwork(network.network_id);
    return text.leftNetwork(network.network_name);
  };
  return (
    <ConfirmDialog
      title={text.leaveTitle(network.network_name)}
      text={text.leaveText}
      submit={text.leaveSubmit}
      action={leave}
      onDone={() => route(PATHS.networks, true)}
      onClose={onClose}
    />
  );
}

/** The number of active agents. The hub reports it only in the text of the message. */
async function countOnline(network_id: string): Promise<number> {
  return (await showNetwork(network_id)).stats.sessions.online;
}

function Delete({ onClose }: { onClose(): void }) {
  const { network: text } = words.value;
  const { network } = useOpenNetwork();
  const { route } = useLocation();
  const typed = useSignal('');
  const wrong = useSignal<string | undefined>(undefined);
  const active = useSignal(0);
  const form = useAction(
    () => route(PATHS.networks, true),
    async () => {
      wrong.value = typed.value.trim() === network.network_name.trim() ? undefined : text.deleteMismatch;
      if (wrong.value !== undefined) return undefined;
      try {
        await deleteNetwork(network.network_id);
      } catch (error) {
        if (!(error instanceof RequestError) || error.code !== 'network_has_active_sessions') throw error;
        active.value = await countOnline(network.network_id);
        return undefined;
      }
      await leaveNetwork(network.network_id);
      return text.deleted(network.network_name);
    },
  );
  return (
    <ActionDialog
      title={text.deleteTitle(network.network_name)}
      form={form}
      submit={text.deleteSubmit}
      isDanger
      onClose={onClose}
    >
      {active.value > 0 && <Notice tone="warning">{text.agentsOnline(active.value)}</Notice>}
      <p>{text.deleteText}</p>
      <TextField
        id="network-confirm"
        label={text.deleteConfirm(network.network_name)}
        value={typed}
        error={wrong.value}
        autoComplete="off"
        spellcheck={false}
        autoFocus
      />
    </ActionDialog>
  );
}
