// The dialog that an action of a need has opened.
import { signal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import type { MessageRecord } from '../live/api.ts';

export type TaskAct = 'answer' | 'settle' | 'reassign' | 'cancel';
/** `onDone` runs after a retry on another agent. */
export type NeedAsked =
  | { what: TaskAct; task: TaskRecord; onDone?: (() => Promise<void>) | undefined }
  | { what: 'message'; message: MessageRecord };

export const needAsked = signal<NeedAsked | null>(null);
