// The network token of the current network: the one just created, or a form to create one.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MAX_TOKEN_NAME } from '../../server/domain/limits.ts';
import { account, freshToken, keepFreshToken } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { createToken } from '../live/api.ts';
import { useAction } from '../parts/action-dialog.tsx';
import { Copyable } from '../parts/copy.tsx';
import { TextField } from '../parts/field.tsx';
import { nameError } from '../parts/lengths.ts';
import { Notice } from '../parts/notice.tsx';
import { Step } from './step.tsx';
import { stepsTaken } from './steps-taken.ts';

export function NewNetworkToken() {
  const { connect } = words.value;
  const token = freshToken.value;
  const created = stepsTaken().token;
  useEffect(() => void (created.value = token === null ? created.value : 'created'), [token]);
  return (
    <Step number={1} title={connect.stepToken} state={token === null && created.value === '' ? 'now' : 'done'}>
      {token === null ? (
        <CreateToken />
      ) : (
        <>
          <Copyable text={token} what={connect.stepToken} />
          <p class="field-hint">{connect.tokenShownOnce}</p>
        </>
      )}
    </Step>
  );
}

function CreateToken() {
  const { connect } = words.value;
  const name = useSignal(connect.defaultTokenName);
  const wrong = useSignal<string | undefined>(undefined);
  const form = useAction(
    () => {},
    async () => {
      wrong.value = nameError(name.value.trim(), MAX_TOKEN_NAME);
      if (wrong.value !== undefined) return undefined;
      const network_id = account.value?.network_id ?? '';
      keepFreshToken(network_id, (await createToken({ name: name.value.trim(), network_id })).token);
      return '';
    },
  );
  return (
    <>
      <p class="card-lead">{stepsTaken().token.value === '' ? connect.noToken : connect.tokenCreated}</p>
      {form.problem.value !== null && <Notice tone="error">{form.problem.value}</Notice>}
      <form class="form-line" noValidate onSubmit={form.submit}>
        <TextField id="token-name" label={connect.tokenName} value={name} error={wrong.value} autoComplete="off" />
        <button type="submit" class="button button-primary" aria-disabled={form.isBusy.value}>
          {connect.createToken}
        </button>
      </form>
    </>
  );
}
