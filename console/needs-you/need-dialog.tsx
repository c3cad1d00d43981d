// The dialog to answer, settle, reassign or cancel the subject of a need.
import { showToast } from '../frame/toast.ts';
import { errorText } from '../live/error-texts.ts';
import { AnswerDialog, AnswerMessagesDialog } from '../tasks/dialogs/answer-dialogs.tsx';
import { CancelDialog, ReassignDialog, SettleDialog } from '../tasks/dialogs/task-dialogs.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { type NeedAsked, needAsked } from './need-asked.ts';

export function NeedDialog({ asked }: { asked: NeedAsked }) {
  if (asked.what === 'messages') return <AnswerMessagesDialog {...asked} onClose={close} />;
  if ('tasks' in asked) return <GroupDialog {...asked} onClose={close} />;
  const onDone = () => void finish(asked.onDone);
  if (asked.what === 'answer') return <AnswerDialog {...asked} onClose={close} onDone={onDone} />;
  if (asked.what === 'reassign') return <ReassignDialog task={asked.task} onClose={close} onDone={onDone} />;
  const Dialog = DIALOGS[asked.what];
  return <Dialog task={asked.task} onClose={close} onDone={onDone} />;
}

function close(): void {
  needAsked.value = null;
}

async function finish(then: (() => Promise<void> | void) | undefined): Promise<void> {
  close();
  try {
    await then?.();
  } catch (error) {
    showToast({ text: errorText(error), tone: 'warning' });
  }
}

const DIALOGS = { settle: SettleDialog, cancel: CancelDialog };
