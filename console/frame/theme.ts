// The theme: light, dark or system. The choice is one attribute on the root element; the stylesheet does the rest.
import { effect, signal } from '@preact/signals';
import { readStored, writeStored } from '../live/storage.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'agenthub.theme';

export const theme = signal<Theme>(storedTheme());

function storedTheme(): Theme {
  const kept = readStored('localStorage', KEY);
  return THEMES.find((name) => name === kept) ?? 'auto';
}

export function chooseTheme(name: Theme): void {
  theme.value = name;
  writeStored('localStorage', KEY, name);
}

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
  });
}
