// Keyboard shortcuts for all pages. Single-letter shortcuts are disabled while the user types or a dialog is open.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { words } from '../i18n/language.ts';
import { mayWrite } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { navigable } from './navigation.tsx';
import { showToast } from './toast.ts';

/** The open overlay, if any. */
export const overlay = signal<'palette' | 'help' | null>(null);
/** The row that had the focus when the palette opened, whose actions it offers. */
let rowBefore: Element | null = null;

export function openPalette(): void {
  rowBefore = rowOf(document.activeElement);
  overlay.value = 'palette';
}

/** Whether the row is in this list. */
export function hasPaletteRow(list: Element): boolean {
  return rowBefore !== null && list.contains(rowBefore);
}

/** The buttons of the row that had the focus when the palette opened. */
export function actsOfRow(): HTMLElement[] {
  return [...(rowBefore?.querySelectorAll<HTMLElement>('[data-key]') ?? [])].filter((act) => act.isConnected);
}

/** Focuses a row visibly. After a click, the focus would not be shown, and would not hold the list. */
export function reach(row: HTMLElement | null | undefined): void {
  if (!row) return;
  row.dataset['reached'] = '';
  row.focus();
}

/** How long a letter may follow `g`. */
const CHORD_MS = 1_500;

export function useKeys(): void {
  const { route } = useLocation();
  useEffect(() => {
    let chordUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (isPaletteKey(event))
        return take(event, () => (overlay.value === 'palette' ? (overlay.value = null) : openPalette()));
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return;
      if (event.key === 'Escape') return leave(event.target);
      if (isField(event.target)) return;
      const inChord = performance.now() < chordUntil;
      chordUntil = event.key === 'g' && !inChord ? performance.now() + CHORD_MS : 0;
      const path = inChord ? navigable().find(({ key }) => key === event.key)?.path : undefined;
      if (path !== undefined) return take(event, () => route(path));
      if (!inChord && Object.hasOwn(KEYS, event.key)) take(event, () => KEYS[event.key]?.());
      else if (!inChord) actOnRow(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [route]);
}

const KEYS: Record<string, () => void> = {
  '/': focusSearch,
  j: () => step(1),
  k: () => step(-1),
  J: () => extend(1),
  K: () => extend(-1),
  x: tick,
  '?': () => (overlay.value = 'help'),
  n: () => {
    if (mayWrite.value) openSend('');
  },
};

function isPaletteKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';
}

function take(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

/** Leaves the field, or clears the selection of the page. */
function leave(target: EventTarget | null): void {
  if (isField(target)) target.blur();
  else document.querySelector<HTMLElement>('[aria-keyshortcuts="Escape"]')?.click();
}

function isField(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select');
}

/** Focuses the search field of the page, or opens the palette on pages without one. */
function focusSearch(): void {
  const field = document.querySelector('[data-search]');
  if (field instanceof HTMLInputElement) field.select();
  if (field instanceof HTMLElement) field.focus();
  else openPalette();
}

/** Moves to the next or previous row, or to the first one. From the last one, it shows new rows, or more of them. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main .row-link')];
  const at = rows.findIndex((row) => row === document.activeElement || rowOf(row)?.contains(document.activeElement));
  const list = rowOf(document.activeElement)?.parentElement;
  const more = list?.parentElement?.querySelector<HTMLElement>('button:is(.new-items-button, .panel-more)');
  if (by > 0 && list?.lastElementChild?.contains(document.activeElement) && more) return more.click();
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Selects the focused row. */
function tick(): void {
  focusedBox()?.click();
}

/** Extends the selection from the focused row to the next or previous one. */
function extend(by: 1 | -1): void {
  const box = focusedBox();
  if (box?.checked === false) box.click();
  step(by);
  focusedBox()?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: true }));
}

function focusedBox(): HTMLInputElement | null | undefined {
  return rowOf(document.activeElement)?.querySelector<HTMLInputElement>('input[type="checkbox"]');
}

/** Clicks the button of the focused row that has this key, or says which keys it has. */
function actOnRow(event: KeyboardEvent): void {
  const row = rowOf(document.activeElement);
  const buttons = [...(row?.querySelectorAll<HTMLElement>('[data-key]') ?? [])];
  const button = buttons.find(({ dataset }) => dataset['key'] === event.key);
  if (button !== undefined) return take(event, () => button.click());
  if (buttons.length === 0 || document.querySelector(`main [data-key="${CSS.escape(event.key)}"]`) === null) return;
  const keys = buttons.map(({ dataset, textContent }) => `${dataset['key']}\u00a0${textContent}`);
  take(event, () => showToast({ text: words.value.frame.noAct(event.key, keys.join(' · ')), tone: 'warning' }));
}

function rowOf(element: Element | null): Element | null {
  return element?.closest('.row, .short-row, .task-card') ?? null;
}
