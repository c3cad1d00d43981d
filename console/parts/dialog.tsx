// A modal dialog based on the native element, which traps and restores the focus and closes on Esc.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import { IconButton } from './icon.tsx';

/** The last click, which may have opened a dialog from an element that did not keep the focus. */
const pressed: { target: Element | null; at: number } = { target: null, at: -Infinity };
const OPENED_MS = 1_000;
globalThis.addEventListener?.(
  'click',
  ({ target }) => Object.assign(pressed, { target: target instanceof Element ? target : null, at: performance.now() }),
  true,
);

/** To what opened the dialog, or to its row. */
function returnFocus(opener: Element | null): void {
  const row = opener?.closest('.row, .need')?.querySelector<HTMLElement>('.row-link');
  const target = opener?.closest<HTMLElement>('a[href], button') ?? row;
  (target?.isConnected === true ? target : row)?.focus();
}

type DialogProps = { title: string; kind?: string; hideTitle?: boolean; onClose(): void; children: ComponentChildren };

export function Dialog({ title, kind = '', hideTitle = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // Opens before paint, so that keys typed right away go to the dialog. Only closing returns the focus, not removal.
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = performance.now() - pressed.at < OPENED_MS ? pressed.target : null;
    element?.showModal();
    return () => {
      isGone.current = true;
      element?.close();
      // The browser has returned the focus, unless nothing had it.
      const { activeElement } = document;
      if (activeElement === document.body || element?.contains(activeElement)) returnFocus(opener);
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
