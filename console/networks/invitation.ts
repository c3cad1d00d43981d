// Loads the network that an invite code belongs to.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import { type Invitation, previewInvite } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';

export type Known = { invitation: Invitation | null; problem: string | null };

const NOT_LOADED: Known = { invitation: null, problem: null };

export function useInvitation(code: string | undefined): ReadonlySignal<Known> {
  const known = useSignal(NOT_LOADED);
  useEffect(() => {
    known.value = NOT_LOADED;
    if (code === undefined) return undefined;
    let isOver = false;
    previewInvite(code).then(
      (invitation) => isOver || (known.value = { invitation, problem: null }),
      (error: unknown) => isOver || (known.value = { invitation: null, problem: errorText(error) }),
    );
    return () => void (isOver = true);
  }, [code]);
  return known;
}

export function invitationText({ network_name, role, owner_name }: Invitation): string {
  return words.value.networks.invitation(owner_name, network_name, words.value.role[role]);
}
