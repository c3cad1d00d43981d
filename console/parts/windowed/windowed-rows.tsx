// The rows of a long list as table rows or list items, of which only those near the screen are in the page. Rows may
// differ in height; they are measured when they are rendered. Screen readers get the position of each row.
import { useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment, h, type RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Piece, piecesOf, positionsOf, type Range, rowsIn } from './window.ts';

/** Rows this far from the screen are rendered again only when the part between comes into view. */
const AHEAD_PX = 320;
const NEAR_PX = 80;
/** Until a row has been measured. */
const ROW_PX = 36;
const TOLERANCE_PX = 0.5;

type WindowedRowsProps<Row> = {
  tag: 'tbody' | 'ul';
  class?: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  render: (row: Row) => ComponentChildren;
};

export function WindowedRows<Row>({ tag, rows, keyOf, render, ...attributes }: WindowedRowsProps<Row>) {
  const ref = useRef<HTMLElement>(null);
  const keys = rows.map(keyOf);
  const pieces = useWindow(ref, keys);
  const role = tag === 'tbody' ? { role: 'rowgroup' as const } : {};
  return h(
    tag,
    { ...attributes, ...role, ref },
    pieces.map((piece, at) => {
      if (typeof piece !== 'number') return space(tag, at, piece.height);
      const row = rows[piece];
      return row === undefined ? null : <Fragment key={keys[piece]}>{render(row)}</Fragment>;
    }),
  );
}

function space(tag: 'tbody' | 'ul', at: number, height: number) {
  return h(tag === 'tbody' ? 'tr' : 'li', {
    key: `space ${at}`,
    class: 'row-space',
    'aria-hidden': true,
    style: { height: `${height}px` },
  });
}

function useWindow(ref: RefObject<HTMLElement | null>, keys: readonly string[]): Piece[] {
  const screen = useSignal<Range>({ from: 0, to: innerHeight });
  const heights = useRef(new Map<string, number>()).current;
  const elements = useRef(new WeakMap<Element, string>()).current;
  const usual = usualHeight(heights);
  const positions = positionsOf(keys.map((key) => heights.get(key) ?? usual));
  const rendered = rowsIn(positions, widened(screen.value, AHEAD_PX));
  const pieces = piecesOf(positions, rendered, focusedRow(ref.current, elements, keys));

  /** Renders again when rows are missing on the screen or next to the focus, or are not as high as was assumed. */
  const look = useRef(() => {});
  look.current = () => {
    if (ref.current === null) return;
    const from = -ref.current.getBoundingClientRect().top;
    const now = { from, to: from + innerHeight };
    const needed = rowsIn(positions, widened(now, NEAR_PX));
    const focused = focusedRow(ref.current, elements, keys);
    const isMissing =
      needed.from < rendered.from ||
      needed.to > rendered.to ||
      (focused !== undefined &&
        [focused - 1, focused + 1].some((row) => keys[row] !== undefined && !pieces.includes(row)));
    if (isMissing || Math.abs(usualHeight(heights) - usual) > TOLERANCE_PX) screen.value = now;
  };
  useLayoutEffect(() => {
    const shown = pieces.filter((piece) => typeof piece === 'number');
    measure(ref.current, shown, keys, heights, elements);
    look.current();
  });
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const options = { capture: true, passive: true, signal: leaving.signal };
    const onMove = () => look.current();
    // Captures the scrolling of any ancestor, because scroll events do not bubble.
    document.addEventListener('scroll', onMove, options);
    addEventListener('resize', onMove, options);
    ref.current?.addEventListener('focusin', onMove, options);
    return () => leaving.abort();
  }, []);
  return pieces;
}

function widened({ from, to }: Range, by: number): Range {
  return { from: from - by, to: to + by };
}

function usualHeight(heights: ReadonlyMap<string, number>): number {
  if (heights.size === 0) return ROW_PX;
  return [...heights.values()].reduce((sum, height) => sum + height, 0) / heights.size;
}

/** The index of the row with the focus. */
function focusedRow(
  list: HTMLElement | null,
  elements: WeakMap<Element, string>,
  keys: readonly string[],
): number | undefined {
  let element = document.activeElement;
  if (list === null || !list.contains(element)) return undefined;
  while (element !== null && element.parentElement !== list) element = element.parentElement;
  const row = keys.indexOf((element && elements.get(element)) ?? '');
  return row < 0 ? undefined : row;
}

/** Notes the height of the rendered rows, up to the start of the next one, and tells screen readers their positions. */
function measure(
  list: HTMLElement | null,
  shown: readonly number[],
  keys: readonly string[],
  heights: Map<string, number>,
  elements: WeakMap<Element, string>,
): void {
  if (heights.size > 2 * keys.length) forgetOthers(heights, keys);
  const rows = [...(list?.children ?? [])].filter((child) => !child.classList.contains('row-space'));
  rows.forEach((row, at) => {
    const index = shown[at] ?? 0;
    const key = keys[index] ?? '';
    const { top, bottom } = row.getBoundingClientRect();
    const next = row.nextElementSibling?.getBoundingClientRect().top;
    elements.set(row, key);
    heights.set(key, (next ?? bottom) - top);
    placeRow(row, index, keys.length);
  });
}

/** A live list replaces all its rows every few seconds. */
function forgetOthers(heights: Map<string, number>, keys: readonly string[]): void {
  const present = new Set(keys);
  for (const key of heights.keys()) if (!present.has(key)) heights.delete(key);
}

function placeRow(row: Element, index: number, count: number): void {
  // The head of the table is its first row.
  if (row.tagName === 'TR') row.setAttribute('aria-rowindex', String(index + 2));
  else {
    row.setAttribute('aria-posinset', String(index + 1));
    row.setAttribute('aria-setsize', String(count));
  }
}
