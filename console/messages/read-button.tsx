// Marks a question as read without an answer.
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import type { MessageRecord } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { isReadOnSight, markRead } from './read-mail.ts';

type ReadButtonProps = { unread: readonly MessageRecord[]; class: string };

export function ReadButton({ unread, class: className }: ReadButtonProps) {
  const questions = unread.filter((message) => !isReadOnSight(message)).map(({ id }) => id);
  if (questions.length === 0) return null;
  const read = () =>
    void markRead(questions).catch((error: unknown) => showToast({ text: errorText(error), tone: 'warning' }));
  return (
    <button type="button" class={className} data-command={className === 'button' || undefined} onClick={read}>
      {words.value.needsYou.act.read}
    </button>
  );
}
