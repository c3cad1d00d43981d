// Reads the styles that terminal output carries (ANSI escape sequences). Sequences that do anything but style text are
// dropped; nothing can hide or move text.

/** `color` and `background` are ANSI colors, 1 to 6; black, white and grays are left to the theme. */
export type Styled = {
  text: string;
  color: number | undefined;
  background: number | undefined;
  isBold: boolean;
  isDim: boolean;
};
type Style = Omit<Styled, 'text'>;

const ESCAPE = '\u001b';
const STYLES = new RegExp(`${ESCAPE}\\[([\\d;:]*)m`);
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
const NONE: Style = { color: undefined, background: undefined, isBold: false, isDim: false };

export function hasStyles(text: string): boolean {
  return STYLES.test(text);
}

export function styledParts(text: string): Styled[] {
  let style = NONE;
  // A split by one group alternates text and the codes of a sequence.
  return text
    .replace(OTHERS, '')
    .split(STYLES)
    .flatMap((part, index) => {
      if (index % 2 === 0) return part === '' ? [] : [{ text: part, ...style }];
      style = styleAfter(style, part.split(/[;:]/).map(Number));
      return [];
    });
}

export function withoutControls(text: string): string {
  return text.replace(OTHERS, '').split(STYLES).filter(isText).join('');
}

const isText = (_: string, index: number) => index % 2 === 0;

function styleAfter(before: Style, codes: readonly number[]): Style {
  const [code = 0, mode, ...values] = codes;
  if (codes.length === 0) return before;
  if (code !== 38 && code !== 48) return styleAfter(withCode(before, code), codes.slice(1));
  const color = mode === 5 ? colorInTable(values[0] ?? 0) : colorOf(values);
  const name = code === 38 ? 'color' : 'background';
  return styleAfter({ ...before, [name]: color }, values.slice(mode === 5 ? 1 : 3));
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return NONE;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2 || code === 90) return { ...style, color: undefined, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  const digit = code % 10;
  if ([30, 90].includes(code - digit)) return { ...style, color: hue(digit), isDim: false };
  if ([40, 100].includes(code - digit)) return { ...style, background: hue(digit) };
  return style;
}

const hue = (index: number) => (index >= 1 && index <= 6 ? index : undefined);

/** The 256 colors: 16 named ones, a cube of 6 × 6 × 6, and grays. */
function colorInTable(index: number): number | undefined {
  if (index < 16) return hue(index % 8);
  const inCube = index - 16;
  return index < 232 ? colorOf([Math.floor(inCube / 36), Math.floor(inCube / 6) % 6, inCube % 6]) : undefined;
}

/** ANSI colors are sums of red (1), green (2) and blue (4). */
function colorOf([red = 0, green = 0, blue = 0]: readonly number[]): number | undefined {
  const strong = Math.max(red, green, blue) * 0.7;
  return hue(Number(red > strong) + 2 * Number(green > strong) + 4 * Number(blue > strong));
}
