// Makes untrusted text safe to print: it cannot control a terminal, hide characters, or change the display order.
import { stripVTControlCharacters } from 'node:util';

/** Escapes the control characters that JSON leaves as they are: DEL and C1. */
export function escapedJson(json: string): string {
  return json.replace(/[\x7f-\x9f]/g, escaped).replace(HIDDEN, escaped);
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Characters that reorder or break lines, or are invisible: directional marks and overrides, line and paragraph
 * separators, the byte order mark, and tags. Characters that spelling needs are not included: the joiners and variation
 * selectors of Persian, Indic scripts and emoji, the zero width space of Thai and Khmer, and the soft hyphen.
 */
const HIDDEN = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text of several lines, safe to print. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(withoutControls).join('\n');
}

/** Text on one line, without control characters. */
export function oneLine(text: string): string {
  return withoutControls(text.replace(HIDDEN, named).replace(/\s+/g, ' ')).trim();
}

// Escape sequences are removed as a whole. Other C0 and C1 characters are replaced, and hidden characters are named,
// one by one.
function withoutControls(line: string): string {
  return stripVTControlCharacters(line)
    .replace(/[^\P{Cc}\t]/gu, '\ufffd')
    .replace(HIDDEN, named);
}

function named(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
