// Creating a network, and joining one with an invite code.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { MAX_NETWORK_NAME, MAX_REASON } from '../../server/domain/limits.ts';
import { chooseNetwork, forgetInvite, inviteCode, isNewcomer, keepFreshToken } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { createNetwork, joinNetwork } from '../live/api.ts';
import { loadNetworks } from '../live/load.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { lengthOf, nameError } from '../parts/lengths.ts';
import { Notice } from '../parts/notice.tsx';
import { networkPath } from '../routes.ts';
import { invitationText, useInvitation } from './invitation.ts';

export function networkNameError(name: string): string | undefined {
  return nameError(name.trim(), MAX_NETWORK_NAME);
}

export function descriptionError(description: string): string | undefined {
  return lengthOf(description) > MAX_REASON ? words.value.errors.tooLong(MAX_REASON) : undefined;
}

type NameAndDescriptionProps = { name: Signal<string>; description: Signal<string>; isChecked: boolean };

/** The fields that a new network and its edit dialog share. Errors show once `isChecked` is set. */
export function NameAndDescription({ name, description, isChecked }: NameAndDescriptionProps) {
  const { networks: text } = words.value;
  return (
    <>
      <TextField
        id="network-name"
        label={text.name}
        value={name}
        autoComplete="off"
        autoFocus
        error={isChecked ? networkNameError(name.value) : undefined}
      />
      <TextArea
        id="network-description"
        label={text.description}
        value={description}
        rows={3}
        error={isChecked ? descriptionError(description.value) : undefined}
      />
    </>
  );
}

export function NewNetwork({ onClose }: { onClose(): void }) {
  const { networks: text } = words.value;
  const { route } = useLocation();
  const name = useSignal('');
  const description = useSignal('');
  const tried = useSignal(false);
  const form = useAction(
    () => {},
    async () => {
      tried.value = true;
      if (networkNameError(name.value) !== undefined || descriptionError(description.value) !== undefined)
        return undefined;
      const { network_id } = await createNetwork({ name: name.value.trim(), description: description.value.trim() });
      await loadNetworks();
      chooseNetwork(network_id);
      route(networkPath(network_id));
      return text.created(name.value.trim());
    },
  );
  return (
    <ActionDialog title={text.createTitle} form={form} submit={text.createSubmit} onClose={onClose}>
      <NameAndDescription name={name} description={description} isChecked={tried.value} />
    </ActionDialog>
  );
}

/** Extracts the code from a pasted code or link. */
export function codeIn(pasted: string): string | undefined {
  return /(?:^|[=\s])(inv_[0-9A-Za-z]{24})(?=$|[&\s])/.exec(pasted.trim())?.[1];
}

export function JoinNetwork({ onClose }: { onClose(): void }) {
  const { networks: text } = words.value;
  const { route } = useLocation();
  const pasted = useSignal(inviteCode.value);
  const invited = inviteCode.value !== '';
  const tried = useSignal(false);
  // Dismissing the invite removes it.
  useEffect(() => forgetInvite, []);
  const form = useAction(
    () => {},
    async () => {
      tried.value = true;
      const code = codeIn(pasted.value);
      if (code === undefined) return undefined;
      const { network_id, network_name, network_token } = await joinNetwork(code);
      await loadNetworks();
      keepFreshToken(network_id, network_token);
      isNewcomer.value = false;
      chooseNetwork(network_id);
      route(networkPath(network_id));
      return text.joined(network_name);
    },
  );
  const { invitation, problem } = useInvitation(codeIn(pasted.value)).value;
  const wrong =
    pasted.value.trim() === '' ? text.needCode : codeIn(pasted.value) === undefined ? text.codeNotFound : undefined;
  return (
    <ActionDialog title={text.joinTitle} form={form} submit={text.joinSubmit} onClose={onClose}>
      {invited && invitation === null && problem === null && <p>{text.invited}</p>}
      {invitation !== null && <Notice tone="info">{invitationText(invitation)}</Notice>}
      {problem !== null && form.problem.value === null && <Notice tone="warning">{problem}</Notice>}
      <TextField
        id="invite-code"
        label={text.code}
        hint={text.codeHint}
        value={pasted}
        error={tried.value ? wrong : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        autoFocus
      />
    </ActionDialog>
  );
}
