// Asks once more before a token ends, and says who is cut off then.
import { words } from '../i18n/language.ts';
import { revokeToken, type TokenRecord } from '../live/api.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';

/** Those the hub makes by itself go by names of its own. */
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
  const { tokens: text, sheet } = words.value;
  const form = useAction(onClose, async () => {
    await revokeToken(token.token_id);
    await onDone();
    return text.revoked;
  });
  return (
    <ActionDialog
      title={text.revokeTitle(nameOf(token))}
      form={form}
      submit={text.revoke}
      close={sheet.keep}
      isDanger
      onClose={onClose}
    >
      <p>{text.revokeText[token.current ? 'current' : token.kind]}</p>
    </ActionDialog>
  );
}
