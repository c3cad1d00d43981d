// Invalid values for a member of an operation, generated from its schema.
import fc from 'fast-check';
import type { Member } from '../../support/store/schema-members.ts';

/** JSON of any shape, with prototype member names among its keys. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3 })
  .chain((value) =>
    fc.constantFrom<unknown>(
      value,
      { toString: value },
      { toString: 1, valueOf: 1 },
      { ['__proto__']: value },
      { constructor: value },
      { then: value },
      { length: -1 },
      [value],
      [[]],
    ),
  );

const notText = anyJson.filter((value) => typeof value !== 'string');
const notNumber = anyJson.filter((value) => typeof value !== 'number');
const notFlag = anyJson.filter((value) => typeof value !== 'boolean');
const notList = anyJson.filter((value) => !Array.isArray(value));

const oddCharacter = fc.constantFrom('\0', '\ud800', '\udc00', '\udbff\ud800', '\udfff');
const someText = fc.string({ unit: 'grapheme', maxLength: 20 });
const unstorable = fc.tuple(someText, oddCharacter, someText).map((parts) => parts.join(''));

/** A value that fits in a body. */
export function badValue(member: Member): fc.Arbitrary<unknown> {
  const bad: Record<Member['kind'], () => fc.Arbitrary<unknown>> = {
    text: () => fc.oneof(notText, unstorable, ...wrongLengths(member)),
    form: () => fc.oneof(notText, wrongForm),
    number: () => fc.oneof(notNumber, numberOutside(member)),
    word: () => fc.oneof(notText, wrongWord(member)),
    list: () =>
      fc.oneof(
        notList,
        fc.constant(Array(member.most + 1).fill('x')),
        notText.map((item) => ['x', item]),
        unstorable.map((item) => [item]),
      ),
    flag: () => notFlag,
  };
  return bad[member.kind]();
}

/** A value that fits in a query or a path: text without lone surrogates. */
export function badText(member: Member): fc.Arbitrary<string> {
  switch (member.kind) {
    case 'number':
      return fc.oneof(numberOutside(member).map(String), noNumber);
    case 'word':
      return wrongWord(member);
    case 'form':
      return wrongForm;
    default:
      return fc.oneof(fc.constant('a\0b'), ...wrongLengths(member));
  }
}

const noNumber = fc.constantFrom(
  '',
  ' 5',
  '5 ',
  '0x10',
  '1e2',
  '٣',
  'NaN',
  'Infinity',
  '-',
  '1.',
  '.5',
  '１',
  'null',
  '1_0',
  '1,0',
);

// No generated text matches one of these patterns.
const wrongForm = fc.constantFrom('a\0b', '%', '[]', '\u202e', '2026-13-45 99:99:99', '0000-00-00 00:00:00');

function wrongLengths({ least, most }: Member): fc.Arbitrary<string>[] {
  const tooLong = Number.isFinite(most)
    ? [fc.constantFrom('x', '林', '𠮷', '\u0301').map((character) => character.repeat(most + 1))]
    : [];
  return least > 0 ? [...tooLong, fc.constant('x'.repeat(least - 1))] : tooLong;
}

function numberOutside({ least, most }: Member): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(least - 1, most + 1, -Number.MAX_VALUE, Number.MAX_VALUE, least - 1e-9, most * 2 + 0.5),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value < least || value > most),
  );
}

function wrongWord({ words }: Member): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.constantFrom(...words.map((word) => word.toUpperCase()), ...words.map((word) => `${word} `)),
      fc.string({ unit: 'grapheme' }),
    )
    .filter((word) => !words.includes(word));
}
