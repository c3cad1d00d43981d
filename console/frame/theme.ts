// The theme: light, dark or system. The choice is one attribute on the root element; the stylesheet does the rest.
import { effect, signal } from '@preact/signals';
import { keep, recall } from '../live/storage.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'agenthub.theme';

export const theme = signal<Theme>(recalledTheme());

function recalledTheme(): Theme {
  const kept = recall('localStorage', KEY);
  return THEMES.find((name) => name === kept) ?? 'auto';
}

export function chooseTheme(name: Theme): void {
  theme.value = name;
  keep('localStorage', KEY, name);
}

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
  });
}
