// The dialog that sends a task, message or broadcast. Any page can open it with a kind and an agent.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { AliasInput } from '../agents/alias-input.tsx';
import { words } from '../i18n/language.ts';
import { onlineCount } from '../live/store.ts';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { useComposer } from './draft.ts';
import { closeSend, SEND_KINDS, type SendKind } from './open-send.ts';
import { ComposeContext, ComposeUrgency } from './task-options.tsx';

export function SendDialog({ alias, kind: first }: { alias: string; kind: SendKind }) {
  const { send, messages } = words.value;
  const kind = useSignal<SendKind>(first);
  const form = useComposer(kind.value, undefined, closeSend);
  useLayoutEffect(() => void (form.alias.value = alias), []);
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
        {kind.value !== 'broadcast' && (
          <AliasInput
            id="send-alias"
            label={send.to}
            hint={send.toHint}
            value={form.alias}
            error={form.errors.value.alias}
            autoFocus={alias === ''}
          />
        )}
        <TextArea
          id="send-text"
          label={messages.kind[kind.value]}
          hint={kind.value === 'task' ? send.taskHint : undefined}
          value={form.text}
          rows={5}
          error={form.errors.value.text}
          autoFocus={alias !== ''}
        />
        {kind.value === 'task' && <ComposeUrgency form={form} id="send" />}
        {kind.value === 'task' && <ComposeContext form={form} id="send" />}
        <div class="form-actions">
          <button
            type="submit"
            class="button button-primary"
            aria-disabled={form.isBusy.value}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            <Icon name="send" />
            {form.isBusy.value ? send.sending : send.submit}
          </button>
          <button type="button" class="button" onClick={closeSend}>
            {words.value.common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
