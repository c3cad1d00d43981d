// What a text from an agent consists of: terminal output, a diff and JSON are recognized as a whole, all else is
// Markdown.

import { hasStyles, withTargets } from '../../server/domain/text/controls.ts';
import { parseMarkdown } from './markdown.ts';
import type { Block } from './tree.ts';

const FENCE = /^ {0,3}(?:```|~~~)/m;
const DIFF = /^(?:diff --git |--- [^\n]+\n\+\+\+ )/;

/** `shown` is the text or its start. */
export function blocksOf(text: string, shown = text): Block[] {
  const lines = withTargets(shown).replace(/\r\n?/g, '\n');
  const language = languageOf(text);
  return language === undefined ? parseMarkdown(lines) : [{ kind: 'code', language, text: lines.trimEnd() }];
}

function languageOf(text: string): string | undefined {
  if (FENCE.test(text)) return undefined;
  if (hasStyles(text)) return 'ansi';
  if (DIFF.test(text)) return 'diff';
  return isJson(text) ? 'json' : undefined;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
