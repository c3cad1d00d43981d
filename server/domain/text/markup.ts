// Removes Markdown marks and control characters from a line, for titles and lists.
import { withoutControls } from './controls.ts';

const NOTHING_TO_READ = /^\s*(?:(?:`{3,}|~{3,})[^`]*|[-*_=\s|:>#]*)$/;
/** Quotes, headings, list items and their checkboxes. */
const BLOCK_MARKS = /^\s*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))\s*)+/;
/** Code, links, emphasis and escaped characters. Code comes first, because marks in it are text. */
const INLINE_MARKS = new RegExp(
  [
    /(?<ticks>`+)(?<code>[^`]+)\k<ticks>/,
    /!?\[(?<label>[^[\]]+)\]\([^()\s]+\)/,
    /(?<pair>\*\*|__|~~)(?=\S)(?<strong>[^*_~]+)(?<=\S)\k<pair>/,
    /(?<!\w)(?<single>[*_])(?=\S)(?<emphasis>[^*_]+)(?<=\S)\k<single>(?!\w)/,
    /\\(?<escaped>[!-/:-@[-`{-~])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** The code that it begins is on the next lines, or the text was cut off before its end. */
const OPEN_FENCE = /\s*(?:`{3,}|~{3,})[\w-]*\s*$/;

/** The first line with something to read, without its marks. */
export function titleOf(text: string): string {
  const lines = withoutControls(text).split('\n');
  return withoutMarks(lines.find((line) => !NOTHING_TO_READ.test(line)) ?? lines.find((line) => /\S/.test(line)) ?? '');
}

const BULLET = /^\s*[-*+]\s/;
const NUMBER = /^\s*(\d{1,9}[.)]\s)/;

/** The whole text in one line. Items of a list remain apart, and keep their numbers: an answer may name one. */
export function proseOf(text: string): string {
  const lines = withoutControls(text).split('\n');
  return lines.reduce((prose, line) => {
    if (NOTHING_TO_READ.test(line)) return prose;
    const words = `${NUMBER.exec(line)?.[1] ?? ''}${withoutMarks(line)}`;
    if (prose === '') return words;
    return `${prose}${BULLET.test(line) && !/[:：?？؟]$/.test(prose) ? ' · ' : ' '}${words}`;
  }, '');
}

function withoutMarks(line: string): string {
  return withoutInlineMarks(line.replace(BLOCK_MARKS, '')).replace(OPEN_FENCE, '') || line.trim();
}

function withoutInlineMarks(text: string): string {
  return text.replace(INLINE_MARKS, (...found) => readable(found.at(-1)));
}

function readable({ code, escaped, label, strong, emphasis }: Record<string, string | undefined>): string {
  return code?.trim() ?? escaped ?? withoutInlineMarks(label ?? strong ?? emphasis ?? '');
}
