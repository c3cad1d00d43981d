// Browser notifications, shown while no tab of the console is visible. Each browser must opt in. All tabs share the
// rate limit of a new notifier; further needs become one notification.
import { signal } from '@preact/signals';
import { DEFAULT_NOTIFIER_RATE, NOTIFIER_RATE_MS } from '../../server/domain/limits.ts';
import { words } from '../i18n/language.ts';
import { hubTime } from '../live/clock.ts';
import { readStored, removeStored, writeStored } from '../live/storage.ts';
import { PATHS } from '../routes.ts';
import { itemKeys, type Need } from './need.ts';
import { needPath, needReason, needTitle } from './need-text.ts';

const CHOICE = 'agenthub.notifications';
const SHOWN = 'agenthub.notified';
/** Visible tabs hold this lock, so that hidden ones can detect them. */
const VISIBLE = 'agenthub.visible';

export type BrowserState = 'on' | 'off' | 'denied' | 'unavailable';

export const browserState = signal<BrowserState>(currentState());

function currentState(): BrowserState {
  if (!isAvailable()) return 'unavailable';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && readStored('localStorage', CHOICE) === 'on' ? 'on' : 'off';
}

function isAvailable(): boolean {
  return 'Notification' in globalThis && isSecureContext && 'locks' in navigator;
}

/** Asks the user for permission; browsers allow this only on a click. */
export async function turnOn(): Promise<void> {
  writeStored('localStorage', CHOICE, 'on');
  await Notification.requestPermission();
  browserState.value = currentState();
}

export function turnOff(): void {
  removeStored('localStorage', CHOICE);
  browserState.value = currentState();
}

/** Lets other tabs detect whether this one is visible, until the returned function is called. */
export function followVisibility(): () => void {
  if (!isAvailable()) return () => {};
  let hide = () => {};
  const follow = () => {
    browserState.value = currentState();
    hide();
    if (document.hidden) return;
    const hidden = new Promise<void>((resolve) => (hide = resolve));
    navigator.locks.request(VISIBLE, { mode: 'shared' }, () => hidden).catch(() => {}); // a sandboxed page has no locks
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    hide();
  };
}

/** `total` is the number of all needs. One tab at a time decides, so that a need is shown once. */
export async function notifyBrowser(fresh: readonly Need[], total: number): Promise<void> {
  if (fresh.length === 0 || !document.hidden || currentState() !== 'on') return;
  await navigator.locks.request(SHOWN, async () => {
    const { held = [] } = await navigator.locks.query();
    if (!held.some(({ name }) => name === VISIBLE)) show(fresh, total);
  });
}

/** The summary of needs beyond the rate limit, which is itself shown once in that time. */
const ALL = 'all';

type Shown = readonly (readonly [key: string, at: number])[];

function show(fresh: readonly Need[], total: number): void {
  const shown = shownSince(Date.now() - NOTIFIER_RATE_MS);
  const isShown = (key: string) => shown.some(([shownKey]) => shownKey === key);
  const news = fresh.filter((need) => !isShown(newestKey(need)));
  const single = news.slice(0, Math.max(0, DEFAULT_NOTIFIER_RATE - shown.length));
  const others = isShown(ALL) ? [] : news.slice(single.length);
  for (const need of single) open(needTitle(need), reasonOf(need), needPath(need), newestKey(need));
  if (others.length > 0) {
    const titles = [...new Set(others.map(needTitle))].join(', ');
    open(words.value.notifiers.needYou(total), titles, PATHS.overview, ALL);
  }
  const opened = [...single.map(newestKey), ...(others.length > 0 ? [ALL] : [])];
  writeStored('localStorage', SHOWN, JSON.stringify([...shown, ...opened.map((key) => [key, Date.now()])]));
}

/** Shows the message that is new, rather than the oldest question of its group. */
function reasonOf(need: Need): string {
  const newest = need.kind === 'mail' ? need.messages.at(-1) : undefined;
  return needReason(need.kind === 'mail' && newest ? { ...need, shown: newest } : need, hubTime());
}

/** A message that joins a group notifies like any other. */
function newestKey(need: Need): string {
  return itemKeys(need).at(-1) ?? need.key;
}

function shownSince(moment: number): Shown {
  const stored = parsed(readStored('localStorage', SHOWN));
  return stored.filter(([, at]) => at > moment && at <= Date.now());
}

function parsed(text: string | null): Shown {
  try {
    const stored: unknown = JSON.parse(text ?? '');
    return Array.isArray(stored) ? stored.filter(isShown) : [];
  } catch {
    return [];
  }
}

function isShown(entry: unknown): entry is Shown[number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';
}

/** A notification replaces the previous one with the same tag. */
function open(title: string, body: string, path: string, tag: string): void {
  try {
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => {
      focus();
      shown.close();
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    };
  } catch {
    browserState.value = 'unavailable'; // browsers on phones allow them only for installed pages
  }
}
