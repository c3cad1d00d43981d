// A modal dialog based on the native element, which traps and restores the focus and closes on Esc.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import { IconButton } from './icon.tsx';

/** What the last click was on. It may open a dialog without keeping the focus. */
let pressed: { at: number; target: EventTarget | null } | undefined;
const OPENED_MS = 1_000;
globalThis.addEventListener?.('click', ({ target }) => void (pressed = { at: performance.now(), target }), true);

/** What has opened a dialog with a click, and the link of its row. */
function openersNow() {
  if (pressed === undefined || performance.now() - pressed.at > OPENED_MS || !(pressed.target instanceof Element))
    return [];
  const row = pressed.target.closest('.row, .need');
  return [pressed.target.closest<HTMLElement>('a, button'), row?.querySelector<HTMLElement>('.row-link')];
}

type DialogProps = { title: string; kind?: string; hideTitle?: boolean; onClose(): void; children: ComponentChildren };

export function Dialog({ title, kind = '', hideTitle = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // Opens before paint, so that keys typed right away go to the dialog. Only closing returns the focus, not removal.
  useLayoutEffect(() => {
    const element = dialog.current;
    const openers = openersNow();
    element?.showModal();
    return () => {
      isGone.current = true;
      element?.close();
      // The browser has returned the focus, unless nothing had it.
      const { activeElement: focused, body } = document;
      if (focused === body || element?.contains(focused)) openers.find((each) => each?.isConnected)?.focus();
    };
  }, []);
  const closeFromBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  // The close event comes later, and a shortcut typed right after Esc would find the dialog still open.
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      class={`dialog ${kind}`}
      ref={dialog}
      aria-label={title}
      onClose={() => isGone.current || onClose()}
      onKeyDown={closeOnEscape}
      onMouseDown={closeFromBackdrop}
    >
      {!hideTitle && (
        <header class="dialog-head">
          <h2>{title}</h2>
          <IconButton icon="close" label={words.value.common.close} onClick={onClose} />
        </header>
      )}
      {children}
    </dialog>
  );
}
