// The part of a text that is shown before somebody asks for all of it.

/** A list shows many texts, and the time to parse one grows with the square of its length at worst. */
const LIMITS = {
  page: { characters: 6_000, lines: 100 },
  list: { characters: 1_500, lines: 30 },
  short: { characters: 400, lines: 6 },
} as const;
/** A few more lines are shown rather than hidden behind a button. */
const SLACK = 1.25;
/** The last line, or half of a character. */
const CUT_OFF = /(?<=\S)\n[^\n]*$|[\ud800-\udbff]$/;

/** Ends with a whole line if there is one. Returns the text itself if it is short. */
export function startOf(text: string, place: keyof typeof LIMITS): string {
  const { characters, lines } = LIMITS[place];
  const isShort = text.length <= characters * SLACK && countLines(text) <= lines * SLACK;
  return isShort ? text : text.split('\n', lines).join('\n').slice(0, characters).replace(CUT_OFF, '');
}

function countLines(text: string): number {
  return text.split('\n').length;
}
