// Sends a task to an agent, in a dialog that any page can open with the agent already named.
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import { PRIORITIES } from '../statuses.ts';
import { agents } from '../store.ts';
import { Choice } from './choice.tsx';
import { controlOf, Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { type SendForm, useSendForm } from './send-form.ts';

/** The agent named when the dialog opened; null while it is closed. */
const addressee = signal<string | null>(null);

export function openSendTask(alias: string): void {
  addressee.value = alias;
}

function close(): void {
  addressee.value = null;
}

export function SendTask() {
  const dialog = useRef<HTMLDialogElement>(null);
  const alias = addressee.value;
  // Before the page is painted: what is typed next must not go past the dialog.
  useLayoutEffect(() => {
    if (alias !== null) dialog.current?.showModal();
  }, [alias !== null]);
  if (alias === null) return null;
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby="send-title" onClose={close}>
      <SendTaskForm alias={alias} />
    </dialog>
  );
}

function SendTaskForm({ alias }: { alias: string }) {
  const form = useSendForm(alias, close);
  const { send, priority } = words.value;
  const options = PRIORITIES.map((value) => ({ value, label: priority[value] }));
  const choose = (value: (typeof PRIORITIES)[number]) => (form.priority.value = value);
  return (
    <form class="form" noValidate onSubmit={form.submit} onKeyDown={form.submitOnKey}>
      <DialogHead />
      {form.problem.value !== null && <Notice tone="error">{form.problem.value}</Notice>}
      <AliasField form={form} focused={alias === ''} />
      <TaskField form={form} focused={alias !== ''} />
      <Choice name="send-priority" legend={send.priority} options={options} chosen={form.priority.value} onChoose={choose} />
      <DialogFoot sending={form.sending.value} />
    </form>
  );
}

function DialogHead() {
  const { send } = words.value;
  return (
    <header class="dialog-head">
      <h2 id="send-title">{send.title}</h2>
      <button type="button" class="button button-quiet button-icon" aria-label={send.cancel} onClick={close}>
        <Icon name="close" />
      </button>
    </header>
  );
}

type OwnFieldProps = { form: SendForm; focused: boolean };

function AliasField({ form, focused }: OwnFieldProps) {
  const { send } = words.value;
  const field: FieldProps = { id: 'send-alias', label: send.to, hint: send.toHint, error: form.errors.value.alias };
  return (
    <Field {...field}>
      <input {...controlOf(field, form.alias)} list="aliases" autoComplete="off" spellcheck={false} autoFocus={focused} />
      <datalist id="aliases">{agents.value?.map(({ alias }) => <option key={alias} value={alias} />)}</datalist>
    </Field>
  );
}

function TaskField({ form, focused }: OwnFieldProps) {
  const { send } = words.value;
  const field: FieldProps = { id: 'send-text', label: send.task, hint: send.taskHint, error: form.errors.value.task };
  return (
    <Field {...field}>
      <textarea {...controlOf(field, form.task)} rows={6} autoFocus={focused} />
    </Field>
  );
}

function DialogFoot({ sending }: { sending: boolean }) {
  const { send } = words.value;
  return (
    <div class="form-acts">
      <button type="submit" class="button button-primary" aria-disabled={sending}>{sending ? send.sending : send.submit}</button>
      <button type="button" class="button" onClick={close}>{send.cancel}</button>
    </div>
  );
}
