// State, validation and submission of the sign-in and registration form.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import { type Credentials, type Joined, login, register, type SignedIn } from '../live/api.ts';
import { codeIn } from '../networks/network-forms.tsx';
import { beginSession, forgetInvite, inviteCode, isNewcomer, keepFreshToken, setupToken } from './account.ts';
import { type FormErrors, formErrors, refusalErrors } from './credentials.ts';

export function useSignForm(creating: boolean, needsInvite: boolean) {
  const username = useSignal('');
  const password = useSignal('');
  const invite = useSignal(inviteCode.value);
  const stay = useSignal(false);
  const errors = useSignal<FormErrors>({});
  const busy = useSignal(false);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirstError(element.current), [errors.value]);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    const entered = { username: username.value.trim(), password: password.value };
    const code = codeIn(invite.value);
    const noInvite = needsInvite && code === undefined ? { invite: words.value.errors.inviteRequired } : {};
    errors.value = { ...formErrors(entered, creating, words.value.errors), ...noInvite };
    if (Object.keys(errors.value).length === 0) await enter(entered, needsInvite ? code : undefined);
  }

  async function enter(entered: Credentials, code: string | undefined): Promise<void> {
    busy.value = true;
    try {
      const { token, user, network_id } = await (creating ? registered(entered, code) : login(entered));
      beginSession({ token, user, network_id: network_id ?? '' }, stay.value);
    } catch (error) {
      errors.value = refusalErrors(error);
      busy.value = false;
    }
  }

  return { username, password, invite, stay, errors, busy, element, submit };
}

function focusFirstError(form: HTMLFormElement | null): void {
  const field = form?.querySelector('[aria-invalid="true"]');
  if (field instanceof HTMLElement) field.focus();
}

async function registered(entered: Credentials, invite_code: string | undefined): Promise<SignedIn> {
  const answer = await register({ ...entered, invite_code }, setupToken.value.trim() || undefined);
  isNewcomer.value = true;
  keepFreshToken(answer.network_id ?? '', answer.network_token);
  return answer.joined === undefined ? answer : inJoined(answer, answer.joined);
}

/** A user who registers with an invite starts in the network of that invite. */
function inJoined(answer: SignedIn, { network_id, network_token }: Joined): SignedIn {
  forgetInvite();
  keepFreshToken(network_id, network_token);
  return { ...answer, network_id };
}
