// The dialog that sends a task, message or broadcast. Any page can open it with a kind and an agent.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import { onlineCount } from '../live/store.ts';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { applyTemplate, PlaceholderFields, TemplatePicker } from '../templates/template-picker.tsx';
import { listTemplates } from '../templates/templates.ts';
import { recipientsOf, useComposer } from './draft.ts';
import { closeSend, SEND_KINDS, type SendKind } from './open-send.ts';
import { Recipients } from './recipients.tsx';
import { ComposeContext, ComposeUrgency } from './task-options.tsx';

type SendDialogProps = { alias: string; kind: SendKind; template?: string | undefined };

/** There is a draft for each agent and each template that the dialog is opened with. */
export function SendDialog({ alias, kind: first, template = '' }: SendDialogProps) {
  const { send, messages } = words.value;
  const kind = useSignal<SendKind>(first);
  const form = useComposer(`send.${JSON.stringify([alias, template])}`, kind.value, undefined, () => {
    form.alias.value = '';
    closeSend();
  });
  useLayoutEffect(() => {
    if (alias !== '') form.alias.value = alias;
    const chosen = listTemplates().find(({ name }) => name === template);
    if (chosen !== undefined && form.text.value === '') applyTemplate(form, chosen);
  }, []);
  const discard = () => {
    form.discard();
    form.alias.value = alias;
    document.getElementById('send-text')?.focus(); // the button disappears
  };
  return (
    <Dialog title={send.title[kind.value]} onClose={closeSend}>
      <form class="form" noValidate onSubmit={form.submit} onKeyDown={form.submitOnKey}>
        <div class="field">
          <Choice
            name="send-kind"
            legend={messages.composeKind}
            options={SEND_KINDS.map((value) => ({ value, label: messages.kind[value] }))}
            chosen={kind.value}
            onChoose={(value) => (kind.value = value)}
          />
          <p class="field-hint">
            {kind.value === 'broadcast'
              ? `${messages.hint.broadcast} ${messages.agentsOnline(onlineCount.value)}`
              : messages.hint[kind.value]}
          </p>
        </div>
        {form.problem.value !== null && <Notice tone="error">{form.problem.value}</Notice>}
        {kind.value !== 'broadcast' && <Recipients form={form} autoFocus={alias === ''} />}
        <TemplatePicker form={form} />
        <TextArea
          id="send-text"
          label={messages.kind[kind.value]}
          hint={kind.value === 'task' ? send.taskHint : undefined}
          value={form.text}
          rows={5}
          error={form.errors.text}
          autoFocus={alias !== '' || kind.value === 'broadcast'}
        />
        <PlaceholderFields form={form} />
        {kind.value === 'task' && <ComposeUrgency form={form} id="send" />}
        {kind.value === 'task' && <ComposeContext form={form} id="send" />}
        <div class="form-actions">
          <button
            type="submit"
            class="button button-primary"
            aria-disabled={form.progress.value !== null}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            <Icon name="send" />
            {form.progress.value === null ? send.submit : send.sending(form.progress.value)}
          </button>
          <button type="button" class="button" onClick={closeSend}>
            {words.value.common.cancel}
          </button>
          {(form.text.value !== '' || recipientsOf(form).join() !== alias) && form.progress.value === null && (
            <button type="button" class="button button-quiet" onClick={discard}>
              {send.discard}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
