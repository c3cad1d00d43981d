// Sends a message, which unlike a task asks for nothing back.
import { useSignal } from '@preact/signals';
import { account } from '../account.ts';
import { sendMessage } from '../api.ts';
import { words } from '../i18n/language.ts';
import { ActDialog, useAct } from './act-dialog.tsx';
import { TextArea } from './field.tsx';

const LONGEST = 10_000;

export function MessageDialog({ alias, onClose }: { alias: string; onClose(): void }) {
  const { agent: text, send } = words.value;
  const message = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const form = useAct(onClose, async () => {
    problem.value = message.value.trim() === '' ? text.needMessage : Array.from(message.value).length > LONGEST ? send.tooLong(LONGEST) : undefined;
    if (problem.value !== undefined) return undefined;
    await sendMessage({ alias, message: message.value, network_id: account.value?.network_id, from_session: account.value?.user.username });
    return text.messageSent(alias);
  });
  return (
    <ActDialog title={text.message} form={form} submit={send.submit} onClose={onClose}>
      <TextArea id="message-text" label={text.messageLabel} hint={text.messageHint} value={message} error={problem.value} autoFocus />
    </ActDialog>
  );
}
