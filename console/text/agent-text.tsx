// A text from an agent, formatted. A long one shows its start and a button that shows all of it.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { language, words } from '../i18n/language.ts';
import { wholeNumber } from '../parts/format.ts';
import { Blocks } from './block-view.tsx';
import { blocksOf } from './blocks.ts';
import { startOf } from './start.ts';

export type TextProps = { text: string; label: string; isInList?: boolean; isShort?: boolean };

export function AgentText({ text, label, isInList = false, isShort = false }: TextProps) {
  const isOpen = useSignal(false);
  const place = isShort ? 'short' : isInList ? 'list' : 'page';
  const start = useMemo(() => startOf(text, place), [text, place]);
  const shown = isOpen.value ? text : start;
  // Preact skips an element that is the same as before, and a text can have thousands.
  const blocks = useMemo(() => <Blocks blocks={blocksOf(text, shown)} />, [text, shown]);
  return (
    <div class="text-block-text agent-text" role="group" aria-label={label}>
      {blocks}
      {start !== text && (
        <Expander length={text.length} isOpen={isOpen.value} toggle={() => (isOpen.value = !isOpen.value)} />
      )}
    </div>
  );
}

function Expander({ length, isOpen, toggle }: { length: number; isOpen: boolean; toggle(): void }) {
  const { text } = words.value;
  return (
    <div class="text-more" data-open={isOpen}>
      <button type="button" class="button button-small" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? text.showLess : text.showAll(wholeNumber(length, language.value))}
      </button>
    </div>
  );
}
