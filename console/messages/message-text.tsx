// A titled text of a task, or why there is none.
import { words } from '../i18n/language.ts';
import { CopyButton } from '../parts/copy.tsx';
import { AgentText } from '../text/agent-text.tsx';

export function MessageText({ title, text }: { title: string; text: string }) {
  return (
    <section class="text-block" aria-label={title}>
      <header class="text-block-head">
        <h2>{title}</h2>
        <CopyButton text={text} what={title} />
      </header>
      <AgentText text={text} label={title} />
    </section>
  );
}

export function NoMessageText({ title, text }: { title: string; text: string }) {
  return (
    <section class="text-block" aria-label={title}>
      <header class="text-block-head">
        <h2>{title}</h2>
      </header>
      <p class="text-block-empty">{text}</p>
    </section>
  );
}

export const emptyResult = (isLive: boolean) =>
  isLive ? words.value.tasks.noResult.live : words.value.tasks.noResult.finished;
