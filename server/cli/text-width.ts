// Measures the width of text on a terminal, where Chinese characters and emoji take two columns.

const WIDE =
  /^(\p{Emoji_Presentation}|.\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

let graphemes: Intl.Segmenter | undefined; // creating it takes 5 ms, and a hub never needs it

export function widthOf(text: string): number {
  // The common case: only ASCII, one column each.
  if (/^[ -~]*$/.test(text)) return text.length;
  return symbolsOf(text).reduce((width, symbol) => width + columnsOf(symbol), 0);
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The width in columns. Terminals on serial lines and in some containers report none, unless COLUMNS is set. */
export function terminalWidth(): number | undefined {
  return process.stdout.columns || Number(process.env.COLUMNS) || undefined;
}

/** Lines of at most this width, broken between words. A longer word is a line. Keeps line breaks. */
export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    for (const word of line.split(/ +/)) {
      const last = lines.at(-1);
      if (last !== undefined && widthOf(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}

/** Shortens the text to the width and appends an ellipsis if it does not fit. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let room = width - 1;
  const kept = symbolsOf(text).filter((symbol) => (room -= columnsOf(symbol)) >= 0);
  return `${kept.join('')}…`;
}

function symbolsOf(text: string): string[] {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function columnsOf(symbol: string): number {
  return WIDE.test(symbol) ? 2 : 1;
}
