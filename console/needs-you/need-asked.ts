// The dialog that an action of a need has opened.
import { signal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import type { MessageRecord } from '../live/api.ts';
import type { MailNeed } from './need.ts';

export type TaskAct = 'settle' | 'reassign' | 'cancel';
export type GroupAct = 'retryAll' | 'reassignAll' | 'cancelAll';
/** `onDone` runs after a retry on another agent, or an answer. */
type Then = { onDone?: (() => Promise<void> | void) | undefined };
export type NeedAsked =
  | ({ what: TaskAct; task: TaskRecord } & Then)
  /** `isMessage` is true if the agent has asked nothing. */
  | ({
      what: 'answer';
      alias: string;
      task: TaskRecord | undefined;
      questions?: readonly MessageRecord[];
      isMessage: boolean;
    } & Then)
  | { what: 'messages'; need: MailNeed; onAnswered(message: MessageRecord): void }
  /** `onDone` receives the tasks for which the action succeeded. */
  | { what: GroupAct; tasks: readonly TaskRecord[]; onDone(ids: ReadonlySet<string>): void };

export const needAsked = signal<NeedAsked | null>(null);
