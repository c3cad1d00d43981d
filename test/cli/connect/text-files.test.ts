// Editing one value in files that people maintain: the value changes, everything else stays.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type JsonPath,
  JsonSyntaxError,
  readJson,
  removeFromJson,
  setInJson,
} from '../../../server/cli/connect/text/json-text.ts';
import { removeFromToml, setInToml, TomlFormError } from '../../../server/cli/connect/text/toml-text.ts';

describe('JSON', () => {
  const CASES: readonly [what: string, before: string, path: JsonPath, after: string][] = [
    ['an empty file', '', ['a', 'b'], '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['only comments', '// mine\n/* too */', ['a'], '// mine\n/* too */\n{\n  "a": 1\n}\n'],
    ['only a comment, with a carriage return', '// mine\r\n', ['a'], '// mine\r\n{\r\n  "a": 1\r\n}\r\n'],
    ['an empty object', '{}', ['a'], '{\n  "a": 1\n}'],
    ['an object of one comment', '{ // nothing yet\n}', ['a'], '{ // nothing yet\n  "a": 1\n}'],
    ['an existing value', '{"a": [1, 2], "b": 0}', ['b'], '{"a": [1, 2], "b": 1}'],
    ['one line', '{"a": 0}', ['b'], '{"a": 0, "b": 1}'],
    ['several lines, with tabs', '{\n\t"a": 0\n}\n', ['b'], '{\n\t"a": 0,\n\t"b": 1\n}\n'],
    ['a trailing comma', '{\n  "a": 0, // zero\n}', ['b'], '{\n  "a": 0,\n  "b": 1 // zero\n}'],
    [
      'carriage returns',
      '{\r\n  "a": {\r\n    "x": 0\r\n  }\r\n}',
      ['a', 'y'],
      '{\r\n  "a": {\r\n    "x": 0,\r\n    "y": 1\r\n  }\r\n}',
    ],
    ['the end of a list', '{"a": [0]}', ['a', 1], '{"a": [0, 1]}'],
    ['an item of a list', '{"a": [0, 2]}', ['a', 0], '{"a": [1, 2]}'],
    ['a missing list', '{}', ['a', 0], '{\n  "a": [\n    1\n  ]\n}'],
    ['a key given twice: the last counts', '{"a": 0, "a": 2}', ['a'], '{"a": 0, "a": 1}'],
    ['a byte order mark', '\ufeff{"a": 0}', ['a'], '\ufeff{"a": 1}'],
    ['quotes and comments in strings', '{"//": "}/*", "a\\"": 0}', ['b'], '{"//": "}/*", "a\\"": 0, "b": 1}'],
    ['comments everywhere', '/*1*/{/*2*/"a"/*3*/:/*4*/0/*5*/}//6', ['a'], '/*1*/{/*2*/"a"/*3*/:/*4*/1/*5*/}//6'],
  ];
  test.each(CASES)('%s', (_what, before, path, after) => expect(setInJson(before, path, 1)).toBe(after));

  const BROKEN = [
    '{',
    '/* open',
    '// mine\n{',
    '{"a" 1}',
    '{"a": 1 "b": 2}',
    '[1,,2]',
    '{a: 1}',
    '{} {}',
    '"\\x"',
    "{'a': 1}",
    '{"a": 01x}',
  ];
  test.each(BROKEN)('%s is rejected', (text) => expect(() => setInJson(text, ['a'], 1)).toThrow(JsonSyntaxError));

  const REMOVALS: readonly [what: string, before: string, path: JsonPath, after: string][] = [
    ['the only member', '{\n  "a": 1\n}\n', ['a'], '{}\n'],
    ['a parent that becomes empty', '{"a": {"b": 1}, "c": 2}', ['a', 'b'], '{"c": 2}'],
    ['a comment next to the only member', '{ // mine\n  "a": 1\n}', ['a'], '{ // mine\n}'],
    [
      'a parent with a comment',
      '{\n  "a": {\n    // mine\n    "b": 1,\n  }\n}',
      ['a', 'b'],
      '{\n  "a": {\n    // mine\n  }\n}',
    ],
    ['a comment after the only member', '{\n  "a": 1 // mine\n}', ['a'], '{ // mine\n}'],
    ['a comment before the last', '{\n  "a": 1, // mine\n  "b": 2\n}', ['b'], '{\n  "a": 1 // mine\n  \n}'],
    ['a comment before one between', '[1, /* mine */ 2, 3]', [1], '[1, /* mine */  3]'],
    ['a comment after the first', '{\n  "a": 1, // mine\n  "b": 2\n}', ['a'], '{\n   // mine\n  "b": 2\n}'],
    ['a trailing comma', '{"a": 1, /* mine */ "b": 2,}', ['b'], '{"a": 1, /* mine */ }'],
  ];
  test.each(REMOVALS)('is removed with what is empty, but not with comments: %s', (_what, before, path, after) =>
    expect(removeFromJson(before, path)).toBe(after),
  );

  test('a parent that was there before stays', () => {
    expect(removeFromJson('{"a": {"b": [1]}}', ['a', 'b', 0], (parent) => parent.length > 1)).toBe('{"a": {}}');
    expect(removeFromJson('{"a": {"b": [1]}}', ['a', 'b', 0], () => false)).toBe('{"a": {"b": []}}');
  });

  test('for any content, only the value at the path changes', () => {
    const key = fc.constantFrom('a', 'b', 'c "d"', '');
    const json = fc
      .jsonValue({ maxDepth: 3 })
      .filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
    fc.assert(
      fc.property(
        json,
        fc.array(key, { minLength: 1, maxLength: 3 }),
        fc.jsonValue(),
        fc.constantFrom(undefined, 1, 2, '\t'),
        (document, path, value, indent) => {
          const expected = withValue(JSON.parse(JSON.stringify(document)), path, value);
          if (expected === undefined) return;
          const text = JSON.stringify(document, null, indent);
          expect(readJson(setInJson(text, path, value))).toEqual(JSON.parse(JSON.stringify(expected)));
          expect(setInJson(setInJson(text, path, value), path, value)).toBe(setInJson(text, path, value));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** Returns undefined if the path leads through a value that is not an object. */
function withValue(document: unknown, [step = '', ...rest]: readonly string[], value: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const known = Object.entries(document).find(([key]) => key === step)?.[1];
  const inner = rest.length === 0 ? value : withValue(known === undefined ? {} : known, rest, value);
  return inner === undefined ? undefined : { ...document, [step]: inner };
}

describe('TOML', () => {
  const set = (text: string): string => setInToml(text, ['mcp', 'hub'], { url: '"u"', old: undefined });
  const CASES: readonly [what: string, before: string, after: string][] = [
    ['an empty file', '', '[mcp.hub]\nurl = "u"\n'],
    ['another table', 'a = 1\n\n[x]\nb = 2', 'a = 1\n\n[x]\nb = 2\n\n[mcp.hub]\nurl = "u"\n'],
    [
      'the table, quoted, with other keys',
      '[mcp."hub"] # mine\nurl = "x"\nold = 1\nmore = true\n\n# next\n[x]\n',
      '[mcp."hub"] # mine\nmore = true\nurl = "u"\n\n# next\n[x]\n',
    ],
    [
      'values of several lines',
      '[mcp.hub]\nurl = """\n[x]\nurl = "z"\n"""\nmore = [\n  "[y]",\n  "url = 1", # ]\n]\n[x]\nurl = 3\n',
      '[mcp.hub]\nmore = [\n  "[y]",\n  "url = 1", # ]\n]\nurl = "u"\n[x]\nurl = 3\n',
    ],
    [
      'an array of arrays before it',
      'a = [\n  ["mcp.hub"],\n]\n[mcp.hub]\n',
      'a = [\n  ["mcp.hub"],\n]\n[mcp.hub]\nurl = "u"\n',
    ],
    ['a table below it', '[mcp.hub]\n[mcp.hub.tools]\nurl = 1\n', '[mcp.hub]\nurl = "u"\n[mcp.hub.tools]\nurl = 1\n'],
    ['carriage returns', '[mcp.hub]\r\nurl = 1\r\n', '[mcp.hub]\r\nurl = "u"\r\n'],
    [
      'a string that ends in quotes',
      'a = \'\'\'\n[mcp.hub]\'\'\' # \'\nb = """x \\""" y"""\n',
      'a = \'\'\'\n[mcp.hub]\'\'\' # \'\nb = """x \\""" y"""\n\n[mcp.hub]\nurl = "u"\n',
    ],
  ];
  test.each(CASES)('%s', (_what, before, after) => {
    expect(set(before)).toBe(after);
    expect(set(after)).toBe(after);
  });

  const OTHER_FORMS = [
    'mcp = { hub = { url = 1 } }',
    'mcp.hub = { url = 1 }',
    'mcp.hub.url = 1',
    '[mcp]\nhub = { url = 1 }',
    '[mcp]\nhub.url = 1',
    '[mcp.hub]\nurl.x = 1',
    '[mcp.hub.url]\nx = 1',
  ];
  test.each(OTHER_FORMS)('%j is rejected', (text) => expect(() => set(text)).toThrow(TomlFormError));

  test.each(['[mcp]\nother = 1', 'hub.url = 1', '[mcp.other]\nurl = 1'])('%j is unrelated', (text) =>
    expect(set(text)).toBe(`${text}\n\n[mcp.hub]\nurl = "u"\n`),
  );

  test.each([
    ['a table below it', '[mcp.hub]\nurl = 1\n[mcp.hub.tools.get_inbox]\nmode = 1\n[x]\n', '[x]\n'],
    ['a table between others', 'a = 1\n\n[mcp.hub]\nurl = 1\n\n[x]\nb = 2\n', 'a = 1\n\n[x]\nb = 2\n'],
    ['a comment above it', '# mine\n[mcp.hub]\nurl = 1\n', '# mine\n'],
    ['a table whose name begins alike', '[mcp.hub2]\nurl = 1\n', '[mcp.hub2]\nurl = 1\n'],
  ])('is removed: %s', (_what, before, after) => expect(removeFromToml(before, ['mcp', 'hub'])).toBe(after));

  test.each(['', 'a = 1\n', '\n\n# mine\na = 1\n\n\n', 'a = 1\r\n', '[x]\nb = 2\n'])(
    '%j is the same after both',
    (text) => expect(removeFromToml(set(text), ['mcp', 'hub'])).toBe(text),
  );
});
