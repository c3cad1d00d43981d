// The dialog that an action of a need has opened.
import { signal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import type { MessageRecord } from '../live/api.ts';

export type TaskAct = 'answer' | 'settle' | 'reassign' | 'cancel';
export type NeedAsked = { what: TaskAct; task: TaskRecord } | { what: 'message'; message: MessageRecord };

export const needAsked = signal<NeedAsked | null>(null);
