// A text with the found words marked, and the part of a long text around them.
import { excerpt } from '../parts/format.ts';

/** Characters before and after the words. */
const [BEFORE, AFTER] = [48, 160];

export function Marked({ text, wanted }: { text: string; wanted: string }) {
  return <>{markedIn(text, wanted).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

/** The text in parts, of which every second one is marked: the whole phrase, or else its single words. */
export function markedIn(text: string, wanted: string): string[] {
  const phrase = wanted.trim();
  const words = contains(text, phrase) ? [phrase] : phrase.split(/\s+/);
  const pattern = words.filter((word) => word !== '').map((word) => escaped(word));
  return pattern.length === 0 ? [text] : text.split(new RegExp(`(${pattern.join('|')})`, 'i'));
}

/** The part of the text around the phrase; undefined if it does not contain it. */
export function partAround(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return undefined;
  const start = at <= BEFORE ? 0 : at - BEFORE + wordStart(text.slice(at - BEFORE, at));
  const end = at + wanted.length + AFTER;
  return `${start > 0 ? '…' : ''}${excerpt(text.slice(start, end))}${end < text.length ? '…' : ''}`;
}

/** Where the first whole word begins; 0 in a script without spaces. */
function wordStart(text: string): number {
  return text.search(/\s/) + 1;
}

export function contains(text: string, phrase: string): boolean {
  return text.toLowerCase().includes(phrase.toLowerCase());
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
