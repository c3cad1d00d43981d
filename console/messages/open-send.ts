// Opens the dialog that sends a task, message or broadcast, from any page.
import { signal } from '@preact/signals';
import type { DraftKind } from './send.ts';

export const SEND_KINDS = ['task', 'message', 'broadcast'] as const satisfies readonly DraftKind[];
export type SendKind = (typeof SEND_KINDS)[number];

/** What the open dialog starts with; null while it is closed. */
export const sendAsked = signal<{ alias: string; kind: SendKind; template?: string | undefined } | null>(null);

export function openSend(alias: string, kind: SendKind = 'task', template?: string): void {
  sendAsked.value = { alias, kind, template };
}

export function closeSend(): void {
  sendAsked.value = null;
}
