// The dialog to answer, settle, reassign or cancel the subject of a need.
import { showToast } from '../frame/toast.ts';
import { errorText } from '../live/error-texts.ts';
import {
  AnswerDialog,
  AnswerMessageDialog,
  CancelDialog,
  ReassignDialog,
  SettleDialog,
} from '../tasks/task-dialogs.tsx';
import { type NeedAsked, needAsked, type TaskAct } from './need-asked.ts';

export function NeedDialog({ asked }: { asked: NeedAsked }) {
  if (asked.what === 'message') return <AnswerMessageDialog message={asked.message} onClose={close} />;
  if (asked.what === 'reassign')
    return <ReassignDialog task={asked.task} onClose={close} onDone={() => finish(asked)} />;
  const Dialog = DIALOGS[asked.what];
  return <Dialog task={asked.task} onClose={close} />;
}

function close(): void {
  needAsked.value = null;
}

function finish({ onDone }: Extract<NeedAsked, { what: TaskAct }>): void {
  close();
  onDone?.().catch((error: unknown) => showToast({ text: errorText(error), tone: 'warning' }));
}

const DIALOGS = { answer: AnswerDialog, settle: SettleDialog, cancel: CancelDialog };
