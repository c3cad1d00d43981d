// The dialog that edits the name, description and member limit of a network.
import { useComputed, useSignal } from '@preact/signals';
import { MAX_MAX_MEMBERS } from '../../server/domain/limits.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { changeNetwork } from '../live/api.ts';
import { loadNetworks } from '../live/load.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { wholeNumberIn } from '../parts/lengths.ts';
import { useOpenNetwork } from './network-data.ts';
import { descriptionError, NameAndDescription, networkNameError } from './network-forms.tsx';

export function EditNetwork() {
  const { query, change } = useAddress();
  return query['dialog'] === 'edit' ? <EditDialog onClose={() => change({ dialog: undefined })} /> : null;
}

function EditDialog({ onClose }: { onClose(): void }) {
  const { network: text, common, errors } = words.value;
  const { network, reload } = useOpenNetwork();
  const name = useSignal(network.network_name);
  const description = useSignal(network.description);
  const most = useSignal(String(network.max_members));
  const max_members = useComputed(() => wholeNumberIn(most.value, 1, MAX_MAX_MEMBERS));
  const form = useAction(onClose, async () => {
    if (networkNameError(name.value) !== undefined || descriptionError(description.value) !== undefined)
      return undefined;
    if (max_members.value === undefined) return undefined;
    await changeNetwork(network.network_id, {
      network_name: name.value.trim(),
      description: description.value.trim(),
      max_members: max_members.value,
    });
    await Promise.all([reload(), loadNetworks()]);
    return common.saved;
  });
  return (
    <ActionDialog title={text.editTitle} form={form} submit={common.save} onClose={onClose}>
      <NameAndDescription name={name} description={description} isChecked />
      <TextField
        id="network-limit"
        label={text.limit}
        hint={text.limitHint(1, MAX_MAX_MEMBERS)}
        value={most}
        autoComplete="off"
        error={max_members.value === undefined ? errors.wholeNumber(1, MAX_MAX_MEMBERS) : undefined}
      />
    </ActionDialog>
  );
}
