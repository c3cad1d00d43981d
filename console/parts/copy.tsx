// Text with a copy button.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../frame/announcements.ts';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 2_000;

export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <div class="copyable">
      <pre class="copyable-text" role="group" tabIndex={0} aria-label={what}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const outcome = useSignal<'ready' | 'done' | 'failed'>('ready');
  useEffect(() => {
    if (outcome.value === 'ready') return undefined;
    const timer = setTimeout(() => (outcome.value = 'ready'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome.value]);

  async function copy(): Promise<void> {
    outcome.value = (await copyText(text)) ? 'done' : 'failed';
    announce(words.value.copy[outcome.value]);
  }

  return (
    <button
      type="button"
      class="button button-small"
      data-outcome={outcome.value}
      aria-label={words.value.copy.copyNamed(what)}
      onClick={copy}
    >
      <Icon name={outcome.value === 'done' ? 'check' : 'copy'} />
      {words.value.copy[outcome.value]}
    </button>
  );
}

/** The Clipboard API requires a secure context, but hubs are often served over plain HTTP. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text);
  }
}

function copyThroughSelection(text: string): boolean {
  const area = document.createElement('textarea');
  const before = document.activeElement;
  area.value = text;
  area.className = 'visually-hidden';
  area.readOnly = true;
  // Inside an open dialog only descendants of the dialog can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  try {
    // Deprecated, but the only option outside a secure context.
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
