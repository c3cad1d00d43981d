// Holds the signed-in account. It is stored per tab, or until sign-out when the user chose to stay signed in.
import { computed, signal } from '@preact/signals';
import type { UserRecord } from '../../server/domain/accounts/user.ts';
import { readStored, removeStored, writeStored } from '../live/storage.ts';

export type Account = {
  token: string;
  user: Pick<UserRecord, 'user_id' | 'username' | 'display_name' | 'role'>;
  /** The network being shown; empty while the user has none. */
  network_id: string;
};
export type EndReason = 'expired' | 'signedOut';

const KEY = 'agenthub.account';
const INVITE = 'agenthub.invite';

export const account = signal<Account | null>(storedAccount());
/** Why the last session ended; shown once on the sign-in page. */
export const endReason = signal<EndReason | null>(null);
/** New network tokens by network. They are kept in memory only, so closing or reloading the tab drops them. */
const freshTokens = signal<Readonly<Record<string, string>>>({});
/** The token of the network being shown. */
export const freshToken = computed(() => freshTokens.value[account.value?.network_id ?? ''] ?? null);
/** True from registration until the new user leaves the page they landed on. */
export const isNewcomer = signal(false);
/** The one-time setup token from the link that the hub printed. */
export const setupToken = signal<string>('');
/** The code of an opened invite link, until it is used or dismissed. */
export const inviteCode = signal<string>(readStored('sessionStorage', INVITE) ?? '');

export function beginSession(begun: Account, stay: boolean): void {
  forgetAccount();
  writeStored(stay ? 'localStorage' : 'sessionStorage', KEY, JSON.stringify(begun));
  endReason.value = null;
  account.value = begun;
}

export function endSession(reason: EndReason): void {
  forgetAccount();
  freshTokens.value = {};
  endReason.value = reason;
  account.value = null;
}

export function chooseNetwork(network_id: string): void {
  if (account.value?.network_id !== network_id) changeAccount({ network_id });
}

/** The network and actor that every task action sends. */
export function networkAndActor({ network_id }: { network_id: string }) {
  return { network_id, from_session: account.value?.user.username };
}

/** Writes a changed account to the storage that holds it. */
export function changeAccount(changes: Partial<Pick<Account, 'network_id' | 'user'>>): void {
  if (account.value === null) return;
  const stays = readStored('localStorage', KEY) !== null;
  account.value = { ...account.value, ...changes };
  writeStored(stays ? 'localStorage' : 'sessionStorage', KEY, JSON.stringify(account.value));
}

export function keepFreshToken(network_id: string, token: string): void {
  freshTokens.value = { ...freshTokens.value, [network_id]: token };
}

/** Signing out in one tab signs out all tabs that share the stored session. */
export function followOtherTabs(): void {
  addEventListener('storage', (event) => {
    if (event.storageArea === localStorage && event.key === KEY && event.newValue === null && account.value !== null)
      endSession('signedOut');
  });
}

/** Removes the setup token from the address immediately, so that it stays out of history and screenshots. */
export function takeSetupToken(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (found === null) return;
  setupToken.value = found;
  history.replaceState(null, '', location.pathname + location.search);
}

/** Removes the code of an invite link from the address and opens the page that uses it. */
export function takeInvite(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('join');
  if (found === null) return;
  inviteCode.value = found;
  writeStored('sessionStorage', INVITE, found);
  history.replaceState(null, '', '/networks?dialog=join');
}

export function forgetInvite(): void {
  inviteCode.value = '';
  removeStored('sessionStorage', INVITE);
}

function forgetAccount(): void {
  removeStored('sessionStorage', KEY);
  removeStored('localStorage', KEY);
}

function storedAccount(): Account | null {
  const kept = readStored('sessionStorage', KEY) ?? readStored('localStorage', KEY);
  return kept === null ? null : readAccount(kept);
}

function readAccount(text: string): Account | null {
  const kept = parsed(text);
  const user = member(kept, 'user');
  const [token, network_id] = [textOf(kept, 'token'), textOf(kept, 'network_id')];
  const [user_id, username, display_name] = [
    textOf(user, 'user_id'),
    textOf(user, 'username'),
    textOf(user, 'display_name'),
  ];
  const role = textOf(user, 'role') === 'admin' ? 'admin' : 'user';
  return token && user_id && username ? { token, network_id, user: { user_id, username, display_name, role } } : null;
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
