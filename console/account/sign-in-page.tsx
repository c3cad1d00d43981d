// The sign-in and registration page: one form with two modes, each with its own address.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { MAX_USERNAME, MIN_PASSWORD, MIN_USERNAME } from '../../server/domain/limits.ts';
import { Logo } from '../frame/logo.tsx';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { type Health, health } from '../live/api.ts';
import { invitationText, useInvitation } from '../networks/invitation.ts';
import { TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { PATHS, signInPath } from '../routes.ts';
import { endReason, inviteCode, setupToken } from './account.ts';
import { PasswordField } from './password-field.tsx';
import { Preferences } from './preferences.tsx';
import { useSignForm } from './sign-form.ts';

export function SignIn({ creating }: { creating: boolean }) {
  const { sign } = words.value;
  const { setup, registration } = useHealth();
  const closed = setup === 'done' && registration === 'closed';
  const first = creating && (setup === 'open' || setup === 'token');
  const title = first ? sign.firstTitle : creating ? sign.signUpTitle : sign.signInTitle;
  useTitle(title);
  return (
    <main class="sign-in" id="content">
      <Heading />
      <section class="card" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">{title}</h1>
        {first && <p class="card-lead">{sign.firstText}</p>}
        {!isSecureContext && <Notice tone="warning">{sign.unencrypted}</Notice>}
        {inviteCode.value !== '' && <Invited code={inviteCode.value} />}
        {endReason.value !== null && !creating && <Notice tone="info">{sign.ended[endReason.value]}</Notice>}
        {creating && closed ? (
          <Notice tone="info">{words.value.errors.registrationClosed}</Notice>
        ) : (
          <SignForm
            key={String(creating)}
            creating={creating}
            needsSetupToken={setup === 'token'}
            needsInvite={creating && setup === 'done' && registration === 'invite'}
          />
        )}
      </section>
      {(creating || !closed) && <OtherMode creating={creating} />}
      <Preferences />
    </main>
  );
}

function Invited({ code }: { code: string }) {
  const { sign } = words.value;
  const { invitation, problem } = useInvitation(code).value;
  if (problem !== null) return <Notice tone="warning">{problem}</Notice>;
  return (
    <Notice tone="info">
      {invitation === null ? (
        sign.invited
      ) : (
        <>
          <strong>{invitationText(invitation)}</strong> {sign.invitedHint}
        </>
      )}
    </Notice>
  );
}

/** Whether the hub has its first user and who may register. */
function useHealth(): Partial<Health> {
  const found = useSignal<Partial<Health>>({});
  useEffect(() => {
    health().then(
      (answer) => (found.value = answer),
      () => {},
    );
  }, []);
  return found.value;
}

function Heading() {
  return (
    <div class="sign-in-head">
      <Logo />
      <p class="sign-in-name">{words.value.frame.product}</p>
      <p class="sign-in-lead">{words.value.sign.lead}</p>
    </div>
  );
}

function OtherMode({ creating }: { creating: boolean }) {
  const { sign } = words.value;
  const { query } = useLocation();
  const path = signInPath(creating ? PATHS.signIn : PATHS.signUp, query['next']);
  return (
    <p class="sign-in-other">
      {creating ? sign.haveAccount : sign.noAccount}{' '}
      <a class="link" href={path}>
        {creating ? sign.signInLink : sign.signUpLink}
      </a>
    </p>
  );
}

type SignFormProps = { creating: boolean; needsSetupToken: boolean; needsInvite: boolean };

function SignForm({ creating, needsSetupToken, needsInvite }: SignFormProps) {
  const { sign } = words.value;
  const form = useSignForm(creating, needsInvite);
  const errors = form.errors.value;
  const username = {
    label: sign.username,
    hint: creating ? sign.usernameHint(MIN_USERNAME, MAX_USERNAME) : undefined,
    error: errors.username,
  };
  const password = {
    label: sign.password,
    hint: creating ? sign.passwordHint(MIN_PASSWORD) : undefined,
    error: errors.password,
  };
  const setup = { label: sign.setup, hint: sign.setupHint, error: errors.setup };
  const invite = { label: sign.invite, hint: sign.inviteHint, error: errors.invite };
  const typing = { autoCapitalize: 'none', spellcheck: false } as const;
  return (
    <form class="form" ref={form.element} noValidate onSubmit={form.submit}>
      {errors.form !== undefined && <Notice tone="error">{errors.form}</Notice>}
      <TextField id="username" {...username} {...typing} value={form.username} autoComplete="username" autoFocus />
      <PasswordField
        id="password"
        {...password}
        value={form.password}
        autoComplete={creating ? 'new-password' : 'current-password'}
      />
      {creating && needsSetupToken && (
        <TextField id="setup" {...setup} {...typing} value={setupToken} autoComplete="off" />
      )}
      {needsInvite && <TextField id="invite" {...invite} {...typing} value={form.invite} autoComplete="off" />}
      <label class="check">
        <input
          type="checkbox"
          checked={form.stay.value}
          onChange={(event) => (form.stay.value = event.currentTarget.checked)}
        />
        {sign.staySignedIn}
      </label>
      <SubmitButton creating={creating} busy={form.busy.value} />
    </form>
  );
}

function SubmitButton({ creating, busy }: { creating: boolean; busy: boolean }) {
  const { sign } = words.value;
  const [label, labelWhileBusy] = creating ? [sign.signUp, sign.signingUp] : [sign.signIn, sign.signingIn];
  return (
    <button type="submit" class="button button-primary button-wide" aria-disabled={busy}>
      {busy ? labelWhileBusy : label}
    </button>
  );
}
