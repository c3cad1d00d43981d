// The language of the page: what the person chose, else what the browser asks for, else English.
import { computed, effect, signal } from '@preact/signals';
import { readStored, writeStored } from '../live/storage.ts';
import { en, type Words } from './en.ts';
import { zh } from './zh.ts';

/** Each language under the tag that the page and the formats carry. */
export const LANGUAGES = { en, 'zh-CN': zh } satisfies Record<string, Words>;
export type Language = keyof typeof LANGUAGES;

const KEY = 'agenthub.language';

export const language = signal<Language>(preferredLanguage());
export const words = computed<Words>(() => LANGUAGES[language.value]);

function preferredLanguage(): Language {
  const wanted = [readStored('localStorage', KEY), ...navigator.languages].find(
    (tag) => tag !== null && /^(en|zh)\b/.test(tag),
  );
  return wanted?.startsWith('zh') ? 'zh-CN' : 'en';
}

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  writeStored('localStorage', KEY, chosen);
}

export function startLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}
