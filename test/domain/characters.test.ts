import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePoints, firstCharacters } from '../../server/domain/text/characters.ts';

test('texts are counted and cut in code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 12 }), (text, count) => {
      const characters = Array.from(text);
      expect(codePoints(text)).toBe(characters.length);
      expect(firstCharacters(text, count)).toBe(characters.slice(0, count).join(''));
    }),
  );
});

test('a cut keeps the two halves of a character together', () => {
  expect(firstCharacters('🐈🐈🐈', 2)).toBe('🐈🐈');
});
