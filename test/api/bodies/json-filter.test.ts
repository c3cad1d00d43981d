// Which members of an object the JSON filter keeps, however the bytes are split.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterMembers } from '../../../server/http/bodies/json-filter.ts';

const NAMES = ['alias', 'cwd', 'ü'];

function filtered(text: string, pieces: readonly number[] = []): string {
  const bytes = Buffer.from(text);
  const filter = filterMembers(new Set(NAMES));
  const left: Buffer[] = [];
  let from = 0;
  for (const length of [...pieces, bytes.length]) left.push(filter(bytes.subarray(from, (from += length))));
  return Buffer.concat(left).toString();
}

test.each([
  ['known members only', '{"alias":"bob","x":1,"cwd":"/"}', '{"alias":"bob","cwd":"/"}'],
  ['none', '{"x":1,"y":[{"alias":2}]}', '{}'],
  ['an empty object', '{}', '{}'],
  ['blanks', ' { "x" : 1 , "alias" : "b" , "cwd":"c" } ', '{"alias" : "b" ,"cwd":"c" } '],
  [
    'values of every kind',
    '{"alias":{"x":[1,"}"]},"x":{"alias":"]}"},"cwd":[null,{"x":"\\""}]}',
    '{"alias":{"x":[1,"}"]},"cwd":[null,{"x":"\\""}]}',
  ],
  ['escaped quotes before the end of a dropped text', '{"x":"\\\\","y":"\\"","alias":1}', '{"alias":1}'],
  ['an escaped name', '{"\\u0061lias":1,"\\u00fc":2,"ü":3}', '{"\\u0061lias":1,"\\u00fc":2,"ü":3}'],
  ['a long name', `{"${'alias'.repeat(100)}":1,"alias":2}`, '{"alias":2}'],
  ['not an object', '[{"x":1}]', '[{"x":1}]'],
  ['a text', '"alias"', '"alias"'],
  ['nothing', '', ''],
])('keeps %s', (_, text, left) => {
  expect(filtered(text)).toBe(left);
  expect(
    filtered(
      text,
      Array.from(text, () => 1),
    ),
  ).toBe(left);
});

test.each(['{"alias":1', '{"alias":1]', '{alias:1}', '{"alias":1}}', '{"x":1}{', '{"alias"'])(
  'leaves invalid JSON invalid: %s',
  (text) => {
    expect(() => JSON.parse(filtered(text))).toThrow();
  },
);

test('keeps what the parser would keep, however the bytes are split', () => {
  const hard = fc.string({ unit: fc.constantFrom('"', '\\\\', '[', '{', '}', ',', 'x', 'é', ' '), maxLength: 60 });
  const name = fc.oneof(fc.constantFrom(...NAMES), hard);
  const object = fc.dictionary(name, fc.oneof(fc.jsonValue({ maxDepth: 4 }), hard), { maxKeys: 8 });
  fc.assert(
    fc.property(object, fc.array(fc.integer({ min: 0, max: 30 })), fc.boolean(), (json, pieces, isSpaced) => {
      const kept = Object.fromEntries(
        Object.entries(JSON.parse(JSON.stringify(json))).filter(([key]) => NAMES.includes(key)),
      );
      expect(JSON.parse(filtered(JSON.stringify(json, null, isSpaced ? 2 : 0), pieces))).toEqual(kept);
    }),
    { numRuns: 2_000 },
  );
});
