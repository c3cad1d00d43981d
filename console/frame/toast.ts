// Shows a confirmation with a link, or with a button that runs something, for a few seconds.
import { signal } from '@preact/signals';

export type Toast = { text: string; tone?: 'good' | 'warning'; path?: string; linkText?: string; run?: () => void };

const SHOWN_MS = 6_000;

export const toast = signal<Toast | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

export function showToast(shown: Toast): void {
  toast.value = shown;
  releaseToast();
}

/** Hovering over the toast or focusing its link keeps it open. */
export function keepToast(): void {
  clearTimeout(timer);
}

export function releaseToast(): void {
  clearTimeout(timer);
  timer = setTimeout(dismissToast, SHOWN_MS);
}

export function dismissToast(): void {
  clearTimeout(timer);
  toast.value = null;
}
