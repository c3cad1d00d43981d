// The dialog that edits the name, description and member limit of a network.
import { useComputed, useSignal } from '@preact/signals';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { changeNetwork } from '../live/api.ts';
import { loadNetworks } from '../live/load.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { wholeNumberIn } from '../parts/lengths.ts';
import { useOpenNetwork } from './network-data.ts';
import { descriptionError, nameError } from './network-forms.tsx';

const MOST_MEMBERS = 1_000;

export function EditNetwork() {
  const { query, change } = useAddress();
  return query['dialog'] === 'edit' ? <EditDialog onClose={() => change({ dialog: undefined })} /> : null;
}

function EditDialog({ onClose }: { onClose(): void }) {
  const { network: text, networks: made, sheet } = words.value;
  const { network, reload } = useOpenNetwork();
  const name = useSignal(network.network_name);
  const description = useSignal(network.description);
  const most = useSignal(String(network.max_members));
  const max_members = useComputed(() => wholeNumberIn(most.value, 1, MOST_MEMBERS));
  const form = useAction(onClose, async () => {
    if (nameError(name.value) ?? descriptionError(description.value) !== undefined) return undefined;
    if (max_members.value === undefined) return undefined;
    await changeNetwork(network.network_id, {
      network_name: name.value.trim(),
      description: description.value.trim(),
      max_members: max_members.value,
    });
    await Promise.all([reload(), loadNetworks()]);
    return sheet.saved;
  });
  return (
    <ActionDialog title={text.editTitle} form={form} submit={sheet.save} onClose={onClose}>
      <TextField
        id="network-name"
        label={made.name}
        value={name}
        autoComplete="off"
        autoFocus
        error={nameError(name.value)}
      />
      <TextArea
        id="network-description"
        label={made.description}
        value={description}
        rows={3}
        error={descriptionError(description.value)}
      />
      <TextField
        id="network-limit"
        label={text.limit}
        hint={text.limitHint}
        value={most}
        autoComplete="off"
        error={max_members.value === undefined ? text.limitWrong : undefined}
      />
    </ActionDialog>
  );
}
