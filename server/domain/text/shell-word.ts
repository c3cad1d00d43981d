// Quotes a word for a POSIX shell. Imported by the console, so without other imports.

/** The characters that need no quotes, for a regular expression. */
export const PLAIN_WORD = String.raw`[\w./:@=-]+`;

const IS_PLAIN = new RegExp(`^${PLAIN_WORD}$`);

export function shellWord(word: string): string {
  return IS_PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
