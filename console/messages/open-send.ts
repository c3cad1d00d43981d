// Opens the dialog that sends a task, message or broadcast, from any page.
import { signal } from '@preact/signals';
import { account } from '../account/account.ts';
import type { DraftKind } from './send.ts';

export const SEND_KINDS = ['task', 'message', 'broadcast'] as const satisfies readonly DraftKind[];
export type SendKind = (typeof SEND_KINDS)[number];

/** What the open dialog starts with; null while it is closed. */
export const sendAsked = signal<{ alias: string; kind: SendKind; template?: string | undefined } | null>(null);

/** Nobody sends to themselves by default. */
export function openSend(to: string, kind: SendKind = 'task', template?: string): void {
  sendAsked.value = { alias: to === account.value?.user.username ? '' : to, kind, template };
}

export function closeSend(): void {
  sendAsked.value = null;
}
