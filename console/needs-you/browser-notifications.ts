// Notifications of the browser, while the page is in the background. They are opt-in, for each browser.
import { signal } from '@preact/signals';
import { words } from '../i18n/language.ts';
import { hubTime } from '../live/clock.ts';
import { readStored, writeStored } from '../live/storage.ts';
import { PATHS } from '../routes.ts';
import { needPath, needReason, needTitle } from './need-text.ts';
import type { Need } from './needs.ts';

const KEY = 'agenthub.notifications';
/** More at once become one. */
const MOST_SINGLE = 3;

export type BrowserState = 'on' | 'off' | 'denied' | 'unavailable';

export const browserState = signal<BrowserState>(currentState());

function currentState(): BrowserState {
  if (!('Notification' in globalThis) || !isSecureContext) return 'unavailable';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && readStored('localStorage', KEY) === 'on' ? 'on' : 'off';
}

export async function turnOn(): Promise<void> {
  writeStored('localStorage', KEY, 'on');
  await Notification.requestPermission();
  browserState.value = currentState();
}

export function turnOff(): void {
  writeStored('localStorage', KEY, 'off');
  browserState.value = currentState();
}

/** Tabs show the same notification once, because it has the same tag. */
export function notifyBrowser(fresh: readonly Need[]): void {
  if (fresh.length === 0 || !document.hidden || currentState() !== 'on') return;
  if (fresh.length > MOST_SINGLE) return open(words.value.needsYou.fresh(fresh.length), '', PATHS.overview, 'needs');
  for (const need of fresh) open(needTitle(need), needReason(need, hubTime()), needPath(need), need.key);
}

function open(title: string, body: string, path: string, tag: string): void {
  const shown = new Notification(title, { body, tag });
  shown.onclick = () => {
    focus();
    location.assign(path);
  };
}
