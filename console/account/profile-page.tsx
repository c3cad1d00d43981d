// The profile page: display name, password, appearance, notifications and sign-out.
import { useSignal } from '@preact/signals';
import { MAX_DISPLAY_NAME, MIN_PASSWORD } from '../../server/domain/limits.ts';
import { words } from '../i18n/language.ts';
import { changeMe, changePassword } from '../live/api.ts';
import { RequestError, withQuery } from '../live/request.ts';
import { InBrowser } from '../notifiers/in-browser.tsx';
import { Notifiers } from '../notifiers/notifiers.tsx';
import { useAction } from '../parts/action-dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { nameError } from '../parts/lengths.ts';
import { Notice } from '../parts/notice.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PATHS } from '../routes.ts';
import { account, changeAccount, endSession } from './account.ts';
import { formErrors } from './credentials.ts';
import { PasswordField } from './password-field.tsx';
import { Preferences } from './preferences.tsx';

export default function ProfilePage() {
  const { profile: text } = words.value;
  return (
    <div class="page page-narrow">
      <PageHead title={text.title} />
      <div class="card-grid">
        <Name />
        <Password />
        <section class="card" aria-labelledby="appearance-title">
          <h2 id="appearance-title">{text.appearance}</h2>
          <Preferences />
        </section>
        <SignOut />
      </div>
      <InBrowser />
      <Notifiers />
    </div>
  );
}

function Name() {
  const { profile: text } = words.value;
  const user = account.value?.user;
  const name = useSignal(user?.display_name ?? '');
  const wrong = useSignal<string | undefined>(undefined);
  const done = useSignal(false);
  const form = useAction(
    () => (done.value = true),
    async () => {
      done.value = false;
      const wanted = name.value.trim();
      wrong.value = nameError(wanted, MAX_DISPLAY_NAME);
      if (wrong.value !== undefined) return undefined;
      changeAccount({ user: (await changeMe(wanted)).user });
      return text.saved;
    },
  );
  return (
    <form class="card" aria-labelledby="name-title" noValidate onSubmit={form.submit}>
      <h2 id="name-title">{text.name}</h2>
      <p class="card-lead">
        {text.username}{' '}
        <strong>
          <bdi>{user?.username}</bdi>
        </strong>{' '}
        · {text.role[user?.role ?? 'user']}
      </p>
      <TextField
        id="display-name"
        label={text.displayName}
        hint={text.displayNameHint}
        value={name}
        error={wrong.value}
        autoComplete="name"
      />
      <Outcome problem={form.problem.value} done={done.value ? text.saved : undefined} />
      <div>
        <button type="submit" class="button button-primary" aria-disabled={form.isBusy.value}>
          {text.save}
        </button>
      </div>
    </form>
  );
}

type Wrong = { before?: string | undefined; after?: string | undefined };

function Password() {
  const { profile: text, errors } = words.value;
  const before = useSignal('');
  const after = useSignal('');
  const wrong = useSignal<Wrong>({});
  const done = useSignal(false);
  const form = useAction(
    () => (done.value = true),
    async () => {
      done.value = false;
      wrong.value = wrongOf(before.value, after.value, errors);
      if (wrong.value.before !== undefined || wrong.value.after !== undefined) return undefined;
      try {
        await changePassword({ old_password: before.value, new_password: after.value });
      } catch (error) {
        if (!(error instanceof RequestError) || error.code !== 'invalid_credentials') throw error;
        wrong.value = { before: text.incorrectPassword };
        return undefined;
      }
      before.value = '';
      after.value = '';
      return text.changed;
    },
  );
  return (
    <form class="card" aria-labelledby="password-title" noValidate onSubmit={form.submit}>
      <h2 id="password-title">{text.password}</h2>
      <input
        class="visually-hidden"
        type="text"
        autoComplete="username"
        value={account.value?.user.username}
        readOnly
        tabIndex={-1}
        aria-hidden="true"
      />
      <PasswordField
        id="old-password"
        label={text.oldPassword}
        value={before}
        error={wrong.value.before}
        autoComplete="current-password"
      />
      <PasswordField
        id="new-password"
        label={text.newPassword}
        hint={words.value.sign.passwordHint(MIN_PASSWORD)}
        value={after}
        error={wrong.value.after}
        autoComplete="new-password"
      />
      <Outcome problem={form.problem.value} done={done.value ? text.changed : undefined} />
      <div>
        <button type="submit" class="button button-primary" aria-disabled={form.isBusy.value}>
          {text.change}
        </button>
      </div>
    </form>
  );
}

function wrongOf(before: string, after: string, errors: typeof words.value.errors): Wrong {
  return {
    before: before === '' ? errors.passwordMissing : undefined,
    after: formErrors({ username: account.value?.user.username ?? '', password: after }, true, errors).password,
  };
}

function Outcome({ problem, done }: { problem: string | null; done: string | undefined }) {
  if (problem !== null) return <Notice tone="error">{problem}</Notice>;
  return done === undefined ? null : <Notice tone="good">{done}</Notice>;
}

function SignOut() {
  const { profile: text, frame } = words.value;
  return (
    <section class="card" aria-labelledby="sign-out-title">
      <h2 id="sign-out-title">{text.sessions}</h2>
      <p class="card-lead">{text.sessionsText}</p>
      <div class="button-row">
        <button type="button" class="button" onClick={() => endSession('signedOut')}>
          {frame.signOut}
        </button>
        <a class="button button-quiet" href={withQuery(PATHS.tokens, { kind: 'user' })}>
          {text.otherSessions}
        </a>
      </div>
    </section>
  );
}
