// Reads the styles that terminal output carries (ANSI escape sequences). All other sequences are dropped.
import { STYLES, withoutMoves } from '../../server/domain/text/controls.ts';

/** `color` and `background` are ANSI colors, 1 to 6; black, white and grays are left to the theme. */
export type Styled = {
  text: string;
  color: number | undefined;
  background: number | undefined;
  isBold: boolean;
  isDim: boolean;
};
type Style = Omit<Styled, 'text'>;

const NONE: Style = { color: undefined, background: undefined, isBold: false, isDim: false };

export function styledParts(text: string): Styled[] {
  let style = NONE;
  // A split by one group alternates text and the codes of a sequence.
  return withoutMoves(text)
    .split(STYLES)
    .flatMap((part, index) => {
      if (index % 2 === 0) return part === '' ? [] : [{ text: part, ...style }];
      style = styleAfter(style, part.split(/[;:]/).map(Number));
      return [];
    });
}

/** 38 and 48 take the codes after them: `5;n` for a color in the table, `2;r;g;b` for any other. */
function styleAfter(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (let index = 0; index < codes.length; index += 1) {
    const [code = 0, mode, ...values] = codes.slice(index, index + 5);
    if (code === 38 || code === 48) {
      const color = mode === 5 ? colorInTable(values[0] ?? 0) : colorOf(values);
      style = { ...style, [code === 38 ? 'color' : 'background']: color };
      index += mode === 5 ? 2 : 4;
    } else style = withCode(style, code);
  }
  return style;
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
