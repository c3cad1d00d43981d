// Who is signed in, and where the browser keeps it: for this tab, or until sign-out when the person asked to stay.
import { signal } from '@preact/signals';
import type { UserRecord } from '../server/domain/user.ts';
import { forget, keep, recall } from './storage.ts';

export type Account = {
  token: string;
  user: Pick<UserRecord, 'user_id' | 'username' | 'display_name'>;
  /** The network being watched; empty while the person has none. */
  network_id: string;
};
export type EndReason = 'expired' | 'left';

const KEY = 'agenthub.account';

export const account = signal<Account | null>(recalledAccount());
/** Why the last session ended; shown once on the sign-in page. */
export const endReason = signal<EndReason | null>(null);
/** The network token of a registration just made. No storage holds it: it is gone with the tab, or with a reload. */
export const freshToken = signal<string | null>(null);
/** The one-time setup token that came with the link the hub printed. */
export const setupToken = signal<string>('');

export function beginSession(begun: Account, stay: boolean): void {
  forgetAccount();
  keep(stay ? 'localStorage' : 'sessionStorage', KEY, JSON.stringify(begun));
  endReason.value = null;
  account.value = begun;
}

export function endSession(reason: EndReason): void {
  forgetAccount();
  freshToken.value = null;
  endReason.value = reason;
  account.value = null;
}

export function chooseNetwork(network_id: string): void {
  if (account.value === null || account.value.network_id === network_id) return;
  const stays = recall('localStorage', KEY) !== null;
  account.value = { ...account.value, network_id };
  // It opens the network that was left, not this one.
  freshToken.value = null;
  keep(stays ? 'localStorage' : 'sessionStorage', KEY, JSON.stringify(account.value));
}

/** Signing out in one tab signs out every tab that shares the kept session. */
export function followOtherTabs(): void {
  addEventListener('storage', (event) => {
    if (event.storageArea === localStorage && event.key === KEY && event.newValue === null && account.value !== null) endSession('left');
  });
}

/** Takes the setup token out of the address at once, so that it stays in no history and no screenshot. */
export function takeSetupToken(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (found === null) return;
  setupToken.value = found;
  history.replaceState(null, '', location.pathname + location.search);
}

function forgetAccount(): void {
  forget('sessionStorage', KEY);
  forget('localStorage', KEY);
}

function recalledAccount(): Account | null {
  const kept = recall('sessionStorage', KEY) ?? recall('localStorage', KEY);
  return kept === null ? null : readAccount(kept);
}

function readAccount(text: string): Account | null {
  const kept = parsed(text);
  const user = member(kept, 'user');
  const [token, network_id] = [textOf(kept, 'token'), textOf(kept, 'network_id')];
  const [user_id, username, display_name] = [textOf(user, 'user_id'), textOf(user, 'username'), textOf(user, 'display_name')];
  return token && user_id && username ? { token, network_id, user: { user_id, username, display_name } } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
}
