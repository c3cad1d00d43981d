// The dialog that creates a network token with an optional expiry.
import { useSignal } from '@preact/signals';
import { MAX_TOKEN_NAME } from '../../server/domain/limits.ts';
import { words } from '../i18n/language.ts';
import { createToken } from '../live/api.ts';
import { networks } from '../live/store.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { nameError } from '../parts/lengths.ts';
import { account } from './account.ts';

export type CreatedToken = { name: string; token: string; network_id: string };

const DAYS = [1, 7, 30, 90, 365] as const;

export function NewToken({ onCreated, onClose }: { onCreated(created: CreatedToken): Promise<void>; onClose(): void }) {
  const { tokens: text, network } = words.value;
  const name = useSignal('');
  const network_id = useSignal(account.value?.network_id ?? '');
  const days = useSignal('');
  const wrong = useSignal<string | undefined>(undefined);
  const form = useAction(onClose, async () => {
    const wanted = name.value.trim();
    wrong.value = nameError(wanted, MAX_TOKEN_NAME);
    if (wrong.value !== undefined) return undefined;
    const expires_in_days = days.value === '' ? undefined : Number(days.value);
    const { token } = await createToken({ name: wanted, network_id: network_id.value, expires_in_days });
    await onCreated({ name: wanted, token, network_id: network_id.value });
    return '';
  });
  return (
    <ActionDialog title={text.createTitle} form={form} submit={text.createAct} onClose={onClose}>
      <TextField
        id="token-name"
        label={text.name}
        hint={text.nameHint}
        value={name}
        error={wrong.value}
        autoComplete="off"
        autoFocus
      />
      <div class="form-row">
        <SelectField
          id="token-network"
          label={text.network}
          value={network_id}
          options={networks.value.map((each) => ({ value: each.network_id, label: each.network_name }))}
        />
        <SelectField
          id="token-days"
          label={text.expires}
          value={days}
          options={[
            { value: '', label: text.untilRevoked },
            ...DAYS.map((each) => ({ value: String(each), label: network.days(each) })),
          ]}
        />
      </div>
    </ActionDialog>
  );
}
