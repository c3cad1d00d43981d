// What is filled in to send a task, what is wrong with it, and the sending.
import { useComputed, useSignal } from '@preact/signals';
import type { Priority } from '../../server/domain/task.ts';
import { account } from '../account.ts';
import { announce } from '../announcements.ts';
import { sendTask } from '../api.ts';
import { words } from '../i18n/language.ts';
import { problemText } from '../problems.ts';

const LONGEST_TASK = 10_000;

export type SendForm = ReturnType<typeof useSendForm>;

export function useSendForm(addressee: string, onSent: () => void) {
  const alias = useSignal(addressee);
  const task = useSignal('');
  const priority = useSignal<Priority>('normal');
  const attempted = useSignal(false);
  const sending = useSignal(false);
  const problem = useSignal<string | null>(null);
  // What is missing is nobody's mistake before the first attempt.
  const errors = useComputed(() => (attempted.value ? errorsOf(alias.value, task.value) : {}));

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    attempted.value = true;
    if (sending.value || Object.keys(errors.value).length > 0) return;
    sending.value = true;
    problem.value = await sendOrExplain(alias.value.trim(), task.value, priority.value);
    sending.value = false;
    if (problem.value === null) onSent();
  }

  const submitOnKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit(event);
  };

  return { alias, task, priority, sending, problem, errors, submit, submitOnKey };
}

function errorsOf(alias: string, task: string): { alias?: string; task?: string } {
  const taskError = errorOfTask(task);
  return { ...(alias.trim() === '' && { alias: words.value.send.needAlias }), ...(taskError && { task: taskError }) };
}

function errorOfTask(task: string): string | undefined {
  if (task.trim() === '') return words.value.send.needTask;
  return Array.from(task).length > LONGEST_TASK ? words.value.send.tooLong(LONGEST_TASK) : undefined;
}

async function sendOrExplain(alias: string, task: string, priority: Priority): Promise<string | null> {
  try {
    await sendTask({ alias, task, priority, network_id: account.value?.network_id, from_session: account.value?.user.username });
    announce(words.value.send.sent(alias));
    return null;
  } catch (error) {
    return problemText(error);
  }
}
