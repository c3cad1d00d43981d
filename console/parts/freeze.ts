// Freezes a list while the pointer moves or the keyboard focus is in it, or the user has scrolled down.
import { effect, type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { hasPaletteRow, overlay } from '../frame/keyboard.ts';

/** A finger leaves no pointer on the list, so a touch freezes it for this long. */
const TOUCH_MS = 4_000;
/** A pointer that does not move for this long was left there, if the person works in another window. */
const RESTING_MS = 20_000;
/** A pointer near the list is about to be pressed. */
const PASSING_MS = 2_000;
const HANDLED_MS = 3_000;
const TOP_PX = 160;

/** `around` selects an ancestor in which the pointer freezes the list too, but only while it moves. */
export function useFreeze<Target extends HTMLElement>(
  around?: string,
): { ref: RefObject<Target | null>; isFrozen: Signal<boolean> } {
  const ref = useRef<Target>(null);
  const isFrozen = useSignal(false);
  const unpoint = useRef(() => {});
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const leaving = new AbortController();
    const why = { pointing: false, focused: false, scrolled: false };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const set = (changes: Partial<typeof why>) => {
      Object.assign(why, changes);
      // The palette offers what can be done with the focused row, which stays where it is.
      if (overlay.peek() !== null) return;
      isFrozen.value = why.pointing || why.focused || why.scrolled;
    };
    unpoint.current = () => {
      clearTimeout(timer);
      set({ pointing: false });
    };
    const pointFor = (ms: number, isOver = unpoint.current) => {
      clearTimeout(timer);
      timer = setTimeout(isOver, ms);
      set({ pointing: true });
    };
    const rest = () => pointFor(RESTING_MS, () => (document.hasFocus() ? rest() : unpoint.current()));
    const point = ({ pointerType }: Pick<PointerEvent, 'pointerType'>) =>
      pointerType === 'touch' ? pointFor(TOUCH_MS) : rest();
    const leave = ({ pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') unpoint.current();
    };
    // Once the focus has moved. One that a click has left behind does not count, until the keyboard takes it over.
    const look = () =>
      setTimeout(() => {
        set({ focused: element.querySelector(':focus-visible, [data-reached]:focus') !== null });
      });
    const options = { signal: leaving.signal, passive: true };
    // A list that appears under a resting pointer receives no move.
    for (const type of ['pointerenter', 'pointermove', 'pointerdown'] as const)
      element.addEventListener(type, point, options);
    element.addEventListener('pointerleave', leave, options);
    const passBy = ({ target }: Event) => !element.contains(target as Node) && pointFor(PASSING_MS);
    if (around !== undefined) element.closest(around)?.addEventListener('pointermove', passBy, options);
    for (const type of ['focusin', 'focusout', 'keydown']) element.addEventListener(type, look, options);
    const scroll = () => set({ scrolled: scrollY > TOP_PX });
    addEventListener('scroll', scroll, options);
    scroll();
    const unfollow = effect(() => {
      if (overlay.value === null) look();
      else if (hasPaletteRow(element)) isFrozen.value = true; // its focus may not have been noticed yet
    });
    // Without a pointer, the element touched last matches `:hover`.
    if (matchMedia('(hover: hover)').matches && element.matches(':hover')) point({ pointerType: '' });
    return () => {
      clearTimeout(timer);
      unfollow();
      leaving.abort();
    };
  }, []);
  const find = (which: string) => ref.current?.querySelector<HTMLElement>(`.need${which}`);
  // Rows that are all handled are not worth holding, once their outcome has been seen.
  useOnceSeen(
    () => (find(':not([data-settled=true])') ? null : find('')),
    () => {
      unpoint.current();
      ref.current?.querySelector<HTMLElement>(':focus')?.blur();
    },
  );
  return { ref, isFrozen };
}

/** Acts when `find` has found the same row for a while, however often the list is rendered meanwhile. */
function useOnceSeen(find: () => HTMLElement | null | undefined, act: () => void): void {
  const held = useRef<{ row?: HTMLElement | null | undefined; end: number }>({ end: 0 });
  useEffect(() => {
    const row = find();
    if (row !== held.current.row) held.current = { row, end: Date.now() + HANDLED_MS };
    const timer = setTimeout(() => row && act(), held.current.end - Date.now());
    return () => clearTimeout(timer);
  });
}

/** Freezes a live list with its element at once, not after the next paint, in which an event may arrive. */
export function useFrozenList(list: { freeze(isFrozen: boolean): void }, isFrozen: Signal<boolean>): void {
  useLayoutEffect(() => effect(() => list.freeze(isFrozen.value)), [list]);
}

/** The rows to show. While frozen, the list keeps its rows in order and updates them in place. */
export function useFrozenRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  isFrozen: boolean,
  from: readonly Row[],
) {
  const shown = useRef<readonly string[] | null>(null);
  const present = rows.map(keyOf);
  if (!isFrozen || shown.current === null) shown.current = present;
  if (shown.current === present) return { rows, waiting: 0 };
  const now = new Map(from.map((row) => [keyOf(row), row]));
  const before = new Set(shown.current);
  return {
    rows: shown.current.flatMap((key) => now.get(key) ?? []),
    waiting: present.filter((key) => !before.has(key)).length,
  };
}
