// Counts JSON depth and members, however the bytes are split.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanJson } from '../../../server/http/bodies/json-cost.ts';

const MAX = { depth: 4, members: 10 };

function faultIn(text: string, pieces: readonly number[] = [text.length]): string | undefined {
  const bytes = Buffer.from(text);
  const scan = scanJson(MAX);
  let from = 0;
  for (const length of [...pieces, bytes.length]) {
    const fault = scan.add(bytes.subarray(from, (from += length)));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

test.each<[string, string, string | undefined]>([
  ['four levels', '[[[[1]]]]', undefined],
  ['five levels', '[[[[[]]]]]', 'depth'],
  ['five levels of objects', '{"a":{"a":{"a":{"a":{}}}}}', 'depth'],
  ['brackets in a text', '["[[[[[[{{{{{"]', undefined],
  ['brackets behind an escaped quote', '["\\"[[[[[["]', undefined],
  ['brackets behind an escaped backslash', '["\\\\",[[[[]]]]]', 'depth'],
  ['a long text of quotes', `["${'\\"'.repeat(100)}[[[[[["]`, undefined],
  ['a long text of backslashes', `["${'\\\\'.repeat(100)}",[[[[]]]]]`, 'depth'],
  ['ten items', '[1,2,3,4,5,6,7,8,9,10]', undefined],
  ['eleven items', '[1,2,3,4,5,6,7,8,9,10,11]', 'members'],
  ['eleven members in two objects', '[{"a":1,"b":2,"c":3,"d":4},{"a":1,"b":2,"c":3,"d":4,"e":5}]', 'members'],
  ['commas in a text', '[",,,,,,,,,,,,,,,,,,,,,,"]', undefined],
])('%s', (_, text, fault) => {
  expect(faultIn(text)).toBe(fault);
  expect(
    faultIn(
      text,
      Array.from(text, () => 1),
    ),
  ).toBe(fault);
});

/** The same, computed from the value. */
function measured(value: unknown): { depth: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, members: 0 };
  const inner = Object.values(value).map(measured);
  const members = Math.max(1, inner.length) + inner.reduce((sum, each) => sum + each.members, 0);
  return { depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)), members };
}

test('matches the parser, however the bytes are split', () => {
  const hard = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ',', 'x', 'é'), maxLength: 120 });
  const value = fc.jsonValue({ maxDepth: 6 }).chain((json) => hard.map((text) => [json, { [text]: text }]));
  fc.assert(
    fc.property(value, fc.array(fc.integer({ min: 0, max: 40 })), (json, pieces) => {
      const { depth, members } = measured(json);
      const expected =
        depth > MAX.depth
          ? ['depth', ...(members > MAX.members ? ['members'] : [])]
          : [members > MAX.members ? 'members' : undefined];
      expect(expected).toContain(faultIn(JSON.stringify(json), pieces));
    }),
    { numRuns: 2_000 },
  );
});
