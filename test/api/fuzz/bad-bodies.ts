// Invalid request bodies, whatever they contain: malformed JSON, not an object, too deep, too large, not UTF-8.
import fc from 'fast-check';

/** What a request sends and the statuses it can get. */
export type BadBody = { body: string | Uint8Array; headers: Record<string, string>; statuses: readonly number[] };

const JSON_TYPE = { 'Content-Type': 'application/json' };
const bad = (
  body: string | Uint8Array,
  statuses: readonly number[] = [400],
  headers: Record<string, string> = JSON_TYPE,
): BadBody => ({ body, headers, statuses });

/** `whole` is a valid body. */
export function badBody(whole: string): fc.Arbitrary<BadBody> {
  return fc.oneof(notJson(whole), twiceNamed(whole), notUtf8(whole), tooDeep(whole), notDeclared(whole), tooBig(whole));
}

// The last of two members with the same name counts.
function twiceNamed(whole: string): fc.Arbitrary<BadBody> {
  const [name = ''] = Object.keys(JSON.parse(whole));
  return fc
    .constantFrom('7', 'null', '[]', '{}')
    .map((value) => bad(`${whole.slice(0, -1)},${JSON.stringify(name)}:${value}}`));
}

function notJson(whole: string): fc.Arbitrary<BadBody> {
  const cut = fc.integer({ min: 1, max: whole.length - 1 }).map((length) => whole.slice(0, length));
  const odd = fc.constantFrom(
    `${whole},`,
    `${whole}${whole}`,
    `//\n${whole}`,
    `(${whole})`,
    `\ufeff\ufeff${whole}`,
    `${whole}\0`,
    whole.replaceAll('"', "'"),
    whole.replace('{', '{,'),
    'NaN',
    '-',
    '"',
    '[',
    '{"a":01}',
    '{"a":.5}',
    '{"a":undefined}',
    '{a:1}',
    '"\n"',
    '{"a":"\\u12"}',
    '{"a":"\\x41"}',
  );
  const noObject = fc.constantFrom('null', 'true', '0', '1e400', '"text"', '[]', '[{}]');
  return fc.oneof(cut, odd, noObject).map((body) => bad(body));
}

// Bytes that decode to U+FFFD: a lone surrogate, one byte too many, one too few, two too few, an overlong slash.
const BAD_BYTES = [
  [0xed, 0xa0, 0x80],
  [0xff],
  [0xf0, 0x9f, 0x98],
  [0xe2],
  [0xc3],
  [0xe2, 0x82],
  [0xc0, 0xaf],
  [0xf5, 0x80, 0x80, 0x80],
];

function notUtf8(whole: string): fc.Arbitrary<BadBody> {
  const bytes = Buffer.from(whole);
  const inText = bytes.lastIndexOf('"');
  return fc
    .constantFrom(...BAD_BYTES)
    .map((wrong) => bad(Buffer.concat([bytes.subarray(0, inText), Buffer.from(wrong), bytes.subarray(inText)])));
}

function tooDeep(whole: string): fc.Arbitrary<BadBody> {
  const nested = fc
    .tuple(fc.integer({ min: 70, max: 20_000 }), fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const))
    .map(([depth, [open, close]]) => open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth));
  return nested.map((deep) => bad(whole.replace('{', `{"deep":${deep},`)));
}

function notDeclared(whole: string): fc.Arbitrary<BadBody> {
  const types = fc.constantFrom(
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'application/json5',
    'json',
    '',
    'application/json; charset=latin1',
    'application/json;charset=utf-16',
  );
  const encodings = fc.constantFrom('gzip', 'br', 'deflate', 'gzip, identity', 'unknown');
  return fc.oneof(
    types.map((type) => bad(whole, [415], { 'Content-Type': type })),
    encodings.map((encoding) => bad(whole, [415], { ...JSON_TYPE, 'Content-Encoding': encoding })),
  );
}

function tooBig(whole: string): fc.Arbitrary<BadBody> {
  return fc
    .integer({ min: 1, max: 1000 })
    .map((more) => bad(whole.replace('{', `{${' '.repeat(1024 * 1024 + more)}`), [413]));
}
