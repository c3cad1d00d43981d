// The dialog that confirms revoking a token and names who loses access.
import { words } from '../i18n/language.ts';
import { revokeToken, type TokenRecord } from '../live/api.ts';
import { ConfirmDialog } from '../parts/action-dialog.tsx';

/** Tokens that the hub creates itself have fixed names, which are translated here. */
export function nameOf({ name }: TokenRecord): string {
  const { names } = words.value.tokens;
  return name === 'login' || name === 'registration' || name === 'invite' ? names[name] : name;
}

export function RevokeToken({
  token,
  onDone,
  onClose,
}: {
  token: TokenRecord;
  onDone(): Promise<void>;
  onClose(): void;
}) {
  const { tokens: text } = words.value;
  const revoke = async () => {
    await revokeToken(token.token_id);
    await onDone();
    return text.revoked;
  };
  return (
    <ConfirmDialog
      title={text.revokeTitle(nameOf(token))}
      text={text.revokeText[token.current ? 'current' : token.kind]}
      submit={text.revoke}
      action={revoke}
      onClose={onClose}
    />
  );
}
