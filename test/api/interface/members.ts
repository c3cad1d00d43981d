// The member types of the interface, with values on both sides of each rule.

export type Rule = {
  type: 'text' | 'number' | 'whole' | 'words' | 'texts' | 'ids' | 'cursor' | 'moment' | 'flag' | 'form';
  isRequired?: true;
  /** Characters of a text, items of a list, or the value of a number. */
  least?: number;
  most?: number;
  words?: readonly string[];
  /** The only characters the rule allows, so the edge cases use no others. */
  isPlain?: true;
  /** Required prefix and suffix of a text. */
  around?: readonly [before: string, behind: string];
  /** Other values that the rule accepts or rejects. */
  takes?: readonly unknown[];
  refuses?: readonly unknown[];
};
export type Rules = Readonly<Record<string, Rule>>;

export const text = (most = 200): Rule => ({ type: 'text', least: 1, most });
export const anyText = (most: number): Rule => ({ type: 'text', most });
export const jsonArray = (most: number): Rule => ({
  type: 'text',
  most,
  around: ['["', '"]'],
  takes: ['', '[]', '[1, {"a": null}]'],
  refuses: ['x', '{}', '[', 'null', '"x"', '[1,]', '[]x'],
});
export const number = (least: number, most: number): Rule => ({ type: 'number', least, most });
export const aboveZero = (most: number): Rule => ({ type: 'number', most, takes: [1e-9, 1], refuses: [0, -1] });
export const whole = (least: number, most: number): Rule => ({ type: 'whole', least, most });
export const oneOf = (...words: string[]): Rule => ({ type: 'words', words });
export const texts = (most: number): Rule => ({ type: 'texts', most });
/** Any other rule, with values that it accepts and rejects. */
export const form = (takes: readonly unknown[], refuses: readonly unknown[]): Rule => ({
  type: 'form',
  takes,
  refuses,
});
/** A list of ids, each of something that exists. */
export const ids = (most: number): Rule => ({ type: 'ids', most });
export const moment: Rule = { type: 'moment' };
export const flag: Rule = { type: 'flag' };
export const cursor: Rule = { type: 'cursor' };
export const required = (rule: Rule): Rule => ({ ...rule, isRequired: true });

/** Values at the limit, which must be accepted. */
export function takenBy(rule: Rule): unknown[] {
  const { type, least, most, words = [], isPlain, takes = [] } = rule;
  const edges = [least, most].filter((edge) => edge !== undefined);
  switch (type) {
    case 'words':
      return [...words];
    case 'number':
    case 'whole':
      return [...edges, ...takes];
    // A character outside the basic plane counts as one.
    case 'text':
      return [
        ...edges.map((edge) => filled(rule, 'x', edge)),
        ...(isPlain ? [] : [filled(rule, '😀', most ?? 1)]),
        ...takes,
      ];
    case 'texts':
      return [[], Array.from({ length: most ?? 1 }, (_, index) => `artifact ${index}`)];
    case 'moment':
      return ['2026-01-31 23:59:59'];
    case 'ids':
      return [[]];
    case 'cursor':
      return [];
    case 'flag':
      return [true, false];
    case 'form':
      return [...takes];
  }
}

/** Values one past the limit, and values of other types. */
export function refusedBy(rule: Rule): unknown[] {
  const { type, least, most, words = [], refuses = [] } = rule;
  switch (type) {
    case 'words':
      return ['', 'other', words[0]?.toUpperCase(), 1, null];
    case 'number':
      return [...pastEdges(least, most), '1', null, true, ...refuses];
    case 'whole':
      return [...pastEdges(least, most), (least ?? 0) + 0.5, '1', null, true, ...refuses];
    case 'text':
      return [
        ...pastEdges(least, most).map((length) => filled(rule, 'x', length)),
        'a\0b',
        'lone \ud800',
        1,
        null,
        ['x'],
        ...refuses,
      ];
    case 'texts':
      return [Array.from({ length: (most ?? 0) + 1 }, () => 'x'), 'x', [1], null];
    case 'ids':
      return [Array.from({ length: (most ?? 0) + 1 }, (_, index) => `id_${index}`), 'x', [1], null];
    case 'moment':
      return ['yesterday', '2026-13-01 00:00:00', '2026-02-30 00:00:00'];
    case 'cursor':
      return ['x', '-1', '0'];
    case 'flag':
      return ['true', 1, null];
    case 'form':
      return [...refuses, null, {}];
  }
}

function pastEdges(least: number | undefined, most: number | undefined): number[] {
  return [...(least === undefined ? [] : [least - 1]), ...(most === undefined ? [] : [most + 1])];
}

/** A text of this many characters that satisfies all other rules. */
function filled({ around: [before, behind] = ['', ''] }: Rule, character: string, length: number): string {
  return before + character.repeat(length - before.length - behind.length) + behind;
}

/** The values as query text. */
export function refusedInQuery({ type, least, most, refuses = [] }: Rule): string[] {
  switch (type) {
    case 'form':
      return refuses.map(String);
    case 'words':
      return ['other'];
    case 'text':
      return ['x'.repeat((most ?? 0) + 1)];
    case 'moment':
      return ['yesterday', '2026-13-01 00:00:00', '2026-02-30 00:00:00'];
    case 'cursor':
      return ['x', '-1', '0'];
    case 'number':
    case 'whole':
      return [...pastEdges(least, most).map(String), 'x', '', ...(type === 'whole' ? ['1.5'] : [])];
    case 'texts':
    case 'ids':
    case 'flag':
      return [];
  }
}
