// The dialog to answer, settle, reassign or cancel the subject of a need.
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
