// The language of the page: what the person chose, else what the browser asks for, else English. Only the texts of this
// language are loaded before the page shows, because those of all take a sixth of its download.
import { batch, computed, effect, signal } from '@preact/signals';
import { readStored, writeStored } from '../live/storage.ts';
import type { Words } from './en.ts';

/** The name of each language in itself, under the tag that the page and the formats carry. */
export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

const LOAD: Record<Language, () => Promise<Words>> = {
  en: async () => (await import('./en.ts')).en,
  'zh-CN': async () => (await import('./zh.ts')).zh,
};

const KEY = 'agenthub.language';

export const language = signal<Language>(preferredLanguage());
const loaded = signal<Words | null>(null);
export const words = computed<Words>(() => {
  if (loaded.value === null) throw new Error('the texts are read before loadLanguage has loaded them');
  return loaded.value;
});

function preferredLanguage(): Language {
  const wanted = [readStored('localStorage', KEY), ...navigator.languages].find(
    (tag) => tag !== null && /^(en|zh)\b/.test(tag),
  );
  return wanted?.startsWith('zh') ? 'zh-CN' : 'en';
}

export async function loadLanguage(): Promise<void> {
  loaded.value = await LOAD[language.value]();
}

export function startLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

/** The language stays as it is if the texts cannot be loaded. */
export async function chooseLanguage(chosen: Language): Promise<void> {
  wanted = chosen;
  const texts = await LOAD[chosen]().catch(() => null);
  if (texts === null || wanted !== chosen) return;
  writeStored('localStorage', KEY, chosen);
  batch(() => {
    language.value = chosen;
    loaded.value = texts;
  });
}

let wanted = language.value;

/** Lets a person change the language at once, and without a connection. */
export function preloadLanguages(): void {
  for (const load of Object.values(LOAD)) load().catch(() => {});
}
