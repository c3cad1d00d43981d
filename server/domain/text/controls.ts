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
    // The other control characters, except tab, newline and escape itself, and those that reorder letters.
    '[\\0-\\u0008\\u000b-\\u001a\\u001c-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]',
  ].join('|'),
  'g',
);

const END = `(?:\\u0007|${ESCAPE}\\\\)`;
const LINKS = new RegExp(
  `${ESCAPE}\\]8;[^;\\0- ]*;([^\\0- <>]+)${END}((?:(?!${ESCAPE}\\]8;)[^])*)${ESCAPE}\\]8;;${END}`,
  'g',
);

/** Terminal links with their target after the label, and letters in their order. */
export function withTargets(text: string): string {
  return text.replace(LINKS, '$2 <$1>').replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

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
