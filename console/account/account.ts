// Who is signed in, and where the browser keeps it: for this tab, or until sign-out when the person asked to stay.
import { computed, signal } from '@preact/signals';
import type { UserRecord } from '../../server/domain/accounts/user.ts';
import { forget, keep, recall } from '../live/storage.ts';

export type Account = {
  token: string;
  user: Pick<UserRecord, 'user_id' | 'username' | 'display_name' | 'role'>;
  /** The network being watched; empty while the person has none. */
  network_id: string;
};
export type EndReason = 'expired' | 'left';

const KEY = 'agenthub.account';
const INVITE = 'agenthub.invite';

export const account = signal<Account | null>(recalledAccount());
/** Why the last session ended; shown once on the sign-in page. */
export const endReason = signal<EndReason | null>(null);
/**
 * Network tokens just made, each under its network. No storage holds them: they are gone with the tab, or with a
 * reload.
 */
const freshTokens = signal<Readonly<Record<string, string>>>({});
/** The one that opens the network being watched. */
export const freshToken = computed(() => freshTokens.value[account.value?.network_id ?? ''] ?? null);
/** Somebody who registered in this tab and has not gone on from there. */
export const isNewcomer = signal(false);
/** The one-time setup token that came with the link the hub printed. */
export const setupToken = signal<string>('');
/** The code of an invite link that was followed, until it is used or put aside. */
export const inviteCode = signal<string>(recall('sessionStorage', INVITE) ?? '');

export function beginSession(begun: Account, stay: boolean): void {
  forgetAccount();
  keep(stay ? 'localStorage' : 'sessionStorage', KEY, JSON.stringify(begun));
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

/** What every act on a task says: the network it is in, and who acts. */
export function actOn({ network_id }: { network_id: string }) {
  return { network_id, from_session: account.value?.user.username };
}

/** Keeps what changed of the account where the account is kept. */
export function changeAccount(changes: Partial<Pick<Account, 'network_id' | 'user'>>): void {
  if (account.value === null) return;
  const stays = recall('localStorage', KEY) !== null;
  account.value = { ...account.value, ...changes };
  keep(stays ? 'localStorage' : 'sessionStorage', KEY, JSON.stringify(account.value));
}

export function keepFreshToken(network_id: string, token: string): void {
  freshTokens.value = { ...freshTokens.value, [network_id]: token };
}

/** Signing out in one tab signs out every tab that shares the kept session. */
export function followOtherTabs(): void {
  addEventListener('storage', (event) => {
    if (event.storageArea === localStorage && event.key === KEY && event.newValue === null && account.value !== null)
      endSession('left');
  });
}

/** Takes the setup token out of the address at once, so that it stays in no history and no screenshot. */
export function takeSetupToken(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('setup');
  if (found === null) return;
  setupToken.value = found;
  history.replaceState(null, '', location.pathname + location.search);
}

/** Takes the code of an invite link out of the address, and leads to where it is used. */
export function takeInvite(): void {
  const found = new URLSearchParams(location.hash.slice(1)).get('join');
  if (found === null) return;
  inviteCode.value = found;
  keep('sessionStorage', INVITE, found);
  history.replaceState(null, '', '/networks?dialog=join');
}

export function forgetInvite(): void {
  inviteCode.value = '';
  forget('sessionStorage', INVITE);
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
