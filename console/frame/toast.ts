// What was just done, said in a corner for a few seconds, with the way to it.
import { signal } from '@preact/signals';

export type Toast = { text: string; tone?: 'good' | 'warning'; path?: string; act?: string };

const SHOWN_MS = 6_000;

export const toast = signal<Toast | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

export function showToast(shown: Toast): void {
  toast.value = shown;
  letGo();
}

/** Whoever reads it, or goes for its link, keeps it. */
export function keepToast(): void {
  clearTimeout(timer);
}

export function letGo(): void {
  clearTimeout(timer);
  timer = setTimeout(dismissToast, SHOWN_MS);
}

export function dismissToast(): void {
  clearTimeout(timer);
  toast.value = null;
}
