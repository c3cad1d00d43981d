// What is filled in at the door, what is wrong with it, and the way in.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { beginSession, isNewcomer, keepFreshToken, setupToken } from '../account.ts';
import { type Credentials, login, register, type SignedIn } from '../api.ts';
import { type FormErrors, formErrors, refusalErrors } from '../credentials.ts';
import { words } from '../i18n/language.ts';

export function useSignForm(creating: boolean) {
  const username = useSignal('');
  const password = useSignal('');
  const stay = useSignal(false);
  const errors = useSignal<FormErrors>({});
  const busy = useSignal(false);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirstError(element.current), [errors.value]);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (busy.value) return;
    const entered = { username: username.value.trim(), password: password.value };
    errors.value = formErrors(entered, creating, words.value.errors);
    if (Object.keys(errors.value).length === 0) await enter(entered);
  }

  async function enter(entered: Credentials): Promise<void> {
    busy.value = true;
    try {
      const { token, user, network_id } = await (creating ? registered(entered) : login(entered));
      beginSession({ token, user, network_id: network_id ?? '' }, stay.value);
    } catch (error) {
      errors.value = refusalErrors(error);
      busy.value = false;
    }
  }

  return { username, password, stay, errors, busy, element, submit };
}

function focusFirstError(form: HTMLFormElement | null): void {
  const field = form?.querySelector('[aria-invalid="true"]');
  if (field instanceof HTMLElement) field.focus();
}

async function registered(entered: Credentials): Promise<SignedIn> {
  const answer = await register(entered, setupToken.value.trim() || undefined);
  isNewcomer.value = true;
  keepFreshToken(answer.network_id ?? '', answer.network_token);
  return answer;
}
