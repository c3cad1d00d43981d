// A dialog that runs one action and stays open with an error message when it fails. Ctrl+Enter in a field runs it too.
import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { errorText } from '../live/error-texts.ts';
import { liveState } from '../live/store.ts';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';

type ActionForm = {
  problem: ReadonlySignal<string | null>;
  isBusy: ReadonlySignal<boolean>;
  submit(event: Event): Promise<void>;
};

/**
 * Runs the action, returns the confirmation text (empty when the result is visible) and closes the dialog. On failure
 * the dialog stays open and shows the error. `undefined` means that a field is missing.
 */
export function useAction(onDone: () => void, action: () => Promise<string | undefined>): ActionForm {
  const problem = useProblem();
  const isBusy = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      const done = await action();
      if (done === undefined) return;
      if (done !== '') showToast({ text: done });
      onDone();
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  }
  return { problem, isBusy, submit };
}

/** The text of a failed request, or null. That the hub cannot be reached is no longer true once its stream is back. */
export function useProblem(): Signal<string | null> {
  const problem = useSignal<string | null>(null);
  useSignalEffect(() => {
    if (liveState.value.state === 'live' && problem.peek() === words.peek().errors.unreachable) problem.value = null;
  });
  return problem;
}

type ActionDialogProps = {
  title: string;
  form: ActionForm;
  submit: string;
  close?: string;
  isDanger?: boolean;
  onClose(): void;
  children: ComponentChildren;
};

export function ActionDialog({
  title,
  form,
  submit,
  close = words.value.common.cancel,
  isDanger = false,
  onClose,
  children,
}: ActionDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={form.submit}
        onKeyDown={(event) => {
          const { key, ctrlKey, metaKey, target } = event;
          const isInButton = target instanceof HTMLButtonElement; // which the key presses
          if (key === 'Enter' && (ctrlKey || metaKey) && !isInButton) void form.submit(event);
        }}
      >
        {form.problem.value !== null && <Notice tone="error">{form.problem.value}</Notice>}
        {children}
        <div class="form-actions">
          <button
            type="submit"
            class={`button ${isDanger ? 'button-danger' : 'button-primary'}`}
            aria-disabled={form.isBusy.value}
          >
            {submit}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {close}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type ConfirmDialogProps = {
  title: string;
  text: string;
  submit: string;
  /** Returns the confirmation text. */
  action(): Promise<string>;
  onDone?(): void;
  onClose(): void;
};

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({ title, text, submit, action, onClose, onDone = onClose }: ConfirmDialogProps) {
  const form = useAction(onDone, action);
  return (
    <ActionDialog title={title} form={form} submit={submit} isDanger onClose={onClose}>
      <p>{text}</p>
    </ActionDialog>
  );
}
