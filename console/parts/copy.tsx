// A text to take away: shown whole, with a button that copies it and says so.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { copyText } from './copy-text.ts';
import { announce } from '../announcements.ts';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2_000;

export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <div class="copyable">
      <pre class="copyable-text" role="group" tabIndex={0} aria-label={what}>{text}</pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const outcome = useSignal<'act' | 'done' | 'failed'>('act');
  useEffect(() => {
    if (outcome.value === 'act') return undefined;
    const timer = setTimeout(() => (outcome.value = 'act'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome.value]);

  async function copy(): Promise<void> {
    outcome.value = (await copyText(text)) ? 'done' : 'failed';
    announce(words.value.copy[outcome.value]);
  }

  return (
    <button type="button" class="button button-small" data-outcome={outcome.value} aria-label={words.value.copy.what(what)} onClick={copy}>
      <Icon name={outcome.value === 'done' ? 'check' : 'copy'} />
      {words.value.copy[outcome.value]}
    </button>
  );
}
