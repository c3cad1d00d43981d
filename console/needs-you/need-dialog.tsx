// The dialog in which the person answers, settles, reassigns or cancels what a need is about.
import {
  AnswerDialog,
  AnswerMessageDialog,
  CancelDialog,
  ReassignDialog,
  SettleDialog,
} from '../tasks/task-dialogs.tsx';
import { type NeedAsked, needAsked } from './need-asked.ts';

export function NeedDialog({ asked }: { asked: NeedAsked }) {
  if (asked.what === 'message') return <AnswerMessageDialog message={asked.message} onClose={close} />;
  const Dialog = DIALOGS[asked.what];
  return <Dialog task={asked.task} onClose={close} />;
}

function close(): void {
  needAsked.value = null;
}

const DIALOGS = { answer: AnswerDialog, settle: SettleDialog, reassign: ReassignDialog, cancel: CancelDialog };
