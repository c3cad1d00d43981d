// Finds the control characters in a text. Sequences that style text are kept for terminal.ts; all others do nothing but
// hide or move text.

const ESCAPE = '\u001b';
export const STYLES = new RegExp(`${ESCAPE}\\[([\\d;:]*)m`);
/** Titles and links, cursor movements, character sets, and the rest of a sequence that was cut off. */
const OTHERS = new RegExp(
  [
    `${ESCAPE}\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?`,
    `${ESCAPE}\\[[\\d;:?<=>]*[ -/]*(?:[@-ln-~]|$)`,
    `${ESCAPE}[()][\\dA-Z]`,
    `${ESCAPE}(?!\\[[\\d;:]*m)`,
    // The other control characters, except tab, newline and escape itself.
    '[\\0-\\u0008\\u000b-\\u001a\\u001c-\\u001f\\u007f-\\u009f]',
  ].join('|'),
  'g',
);

export function hasStyles(text: string): boolean {
  return STYLES.test(text);
}

export function withoutMoves(text: string): string {
  return text.replace(OTHERS, '');
}

export function withoutControls(text: string): string {
  return withoutMoves(text).split(STYLES).filter(isText).join('');
}

/** A split by one group alternates text and what the group has matched. */
const isText = (_: string, index: number) => index % 2 === 0;
