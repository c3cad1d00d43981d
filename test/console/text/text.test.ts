import { describe, expect, test } from 'vitest';
import { excerpt, headline } from '../../../console/parts/format.ts';
import { showsTarget, webAddress } from '../../../console/text/addresses.ts';
import { blocksOf } from '../../../console/text/blocks.ts';
import { diffLines } from '../../../console/text/diff.ts';
import { codeParts } from '../../../console/text/languages.ts';
import { referenceAmong, referenceIn } from '../../../console/text/references.ts';
import { startOf } from '../../../console/text/start.ts';
import { styledParts } from '../../../console/text/terminal.ts';
import { withoutControls, withTargets } from '../../../server/domain/text/controls.ts';

describe('a title', () => {
  test.each([
    ['# Fix the *build*', 'Fix the build'],
    ['- [ ] **Ship** `a*b*c` today', 'Ship a*b*c today'],
    ['> 1. quoted', 'quoted'],
    ['---\n\n## After a rule', 'After a rule'],
    ['```ts\nlet a = 1;\n```', 'let a = 1;'],
    ['see [the log](https://a.example/x) and ![shot](b.png)', 'see the log and shot'],
    ['**Fix `x`** ~~now~~', 'Fix x now'],
    ['\u001b[1;31mred\u001b[0m \u001b]0;owned\u0007alert\u001b[2J', 'red alert'],
    [String.raw`\*not\* markup`, '*not* markup'],
    ['snake_case_name 2 * 3 * 4', 'snake_case_name 2 * 3 * 4'],
    ['Map<string, b> **', 'Map<string, b> **'],
    ['#hashtag -1', '#hashtag -1'],
    ['***', '***'],
    ['', ''],
  ])('of %j is %j', (text, title) => {
    expect(headline(text)).toBe(title);
  });

  test('of a whole text has no marks, and keeps the items of a list apart', () => {
    expect(excerpt('# A\n\n- b\n- *c*\n\n```js\nd\n```')).toBe('A · b · c d');
    expect(excerpt('Which one?\n- b\n- c')).toBe('Which one? b · c');
    expect(excerpt('Which one?\n\n1. *b*\n2. c')).toBe('Which one? 1. b 2. c');
  });
});

test('a terminal link shows its target after its label', () => {
  const link = '\u001b]8;;https://a.example/x\u001b\\label\u001b]8;;\u001b\\';
  expect(blocksOf(`\u001b[31mred\u001b[0m ${link}, ${link}`)).toMatchObject([
    { text: '\u001b[31mred\u001b[0m label <https://a.example/x>, label <https://a.example/x>' },
  ]);
  expect(JSON.stringify(blocksOf(`see ${link}next`))).toContain(
    '"see label <",{"kind":"link","target":"https://a.example/x"',
  );
});

test('no character changes the order of others', () => {
  const text = 'a\u202ebc\u2066d\u202a';
  expect(headline(text)).toBe('abcd');
  expect(JSON.stringify(blocksOf(`${text}\n\n\`\`\`\n${text}\n\`\`\``))).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

test('a title of a pathological text is found in time', () => {
  const start = process.cpuUsage();
  for (const part of [
    '*',
    '**a',
    '`',
    '[',
    '[a](',
    '_a ',
    ' ',
    '> ',
    '- ',
    '1. ',
    '\\',
    '\n',
    '|',
    '\u001b[',
    '\u001b]',
    '\u001b]8;;a\u0007',
  ])
    for (const title of [headline, excerpt, withTargets]) title(part.repeat(10_000 / part.length));
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});

describe('terminal output', () => {
  test('has its colors', () => {
    const parts = styledParts('a\u001b[1;31mb\u001b[0m\u001b[38;5;46mc\u001b[38;2;255;0;255md\u001b[39;44me');
    expect(parts.map(({ text, color, background, isBold }) => [text, color, background, isBold])).toEqual([
      ['a', undefined, undefined, false],
      ['b', 1, undefined, true],
      ['c', 2, undefined, false],
      ['d', 5, undefined, false],
      ['e', undefined, 4, false],
    ]);
  });

  test('with many codes in one style is read in time', () => {
    const start = process.cpuUsage();
    expect(styledParts(`\u001b[${'1;'.repeat(9_990)}31ma`)).toMatchObject([{ text: 'a', color: 1, isBold: true }]);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  test.each([
    ['moves the cursor', '\u001b[2J\u001b[1;1Ha\u001b[?25lb'],
    ['names a link or a title', '\u001b]8;;https://a.example\u0007a\u001b]8;;\u001b\\b\u001b]0;t\u0007'],
    ['hides text', '\u001b[8ma\u001b[28mb'],
    ['is cut off', 'ab\u001b[38;5'],
    ['is a control character', 'a\u0001\u0008b\u0007\u009b'],
  ])('loses what %s, and no letter', (_, text) => {
    expect(
      styledParts(text)
        .map((part) => part.text)
        .join(''),
    ).toBe('ab');
    expect(withoutControls(text)).toBe('ab');
  });
});

describe('code', () => {
  test.each([
    ['ts', 'const a = "b"; // c'],
    ['json', '{"a": "b"}'],
    ['bash', 'if true; then echo "b"; fi # c'],
    ['python', 'def a(): return "b" # c'],
    ['yaml', 'a: "b" # c'],
    ['sql', "select 'b' from a -- c"],
    ['go', 'func a() string { return "b" } // c'],
    ['rust', 'fn a() { let b = "b"; } // c'],
  ])('in %s keeps its characters and gets roles', (language, code) => {
    const parts = codeParts(code, language) ?? [];
    expect(parts.map(({ text }) => text).join('')).toBe(code);
    expect(new Set(parts.map(({ role }) => role)).size).toBeGreaterThan(2);
  });

  test.each([
    ['const a = `b ${c}` // d', ['const', '`b ${c}`', '// d']],
    ["return /'/.test(a) / b;", ['return', "/'/"]],
    ["<p>don't</p>; import a", ["'", 'import']],
  ])('in TypeScript, such as %s, has roles', (code, parts) => {
    const found = codeParts(code, 'tsx') ?? [];
    expect(found.filter(({ role }) => role !== 'property').flatMap(({ text, role }) => (role ? text : []))).toEqual(
      parts,
    );
  });

  test.each(['ts', 'json', 'bash', 'python', 'yaml', 'sql', 'go', 'rust'])(
    'in %s that is pathological is split in time, without loss',
    (language) => {
      for (const part of [
        '<',
        'a<b,',
        '/[',
        '"',
        "'\\",
        '`${',
        '/*',
        '"""',
        '#',
        '--',
        '{',
        ' ',
        'a ',
        "'a",
        '<<E\n',
        '>\n',
      ])
        expectQuick(part.repeat(20_000 / part.length), language);
    },
  );

  test('in another language, or very long, has none', () => {
    expect(codeParts('<b>', 'html')).toBeUndefined();
    expect(codeParts('a'.repeat(20_001), 'ts')).toBeUndefined();
  });

  test('that is a diff has lines', () => {
    const text = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c';
    const changes = ['file', 'file', 'file', 'place', 'removed', 'added', undefined];
    expect(diffLines(text).map(({ change }) => change)).toEqual(changes);
  });
});

/** Counts the time of the processor, which other processes do not lengthen. */
function expectQuick(code: string, language: string): void {
  const start = process.cpuUsage();
  const parts = codeParts(code, language) ?? [];
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  expect(parts.map(({ text }) => text).join('')).toBe(code);
}

describe('a target of a link', () => {
  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    '//a.example',
    '/tasks',
    'file:///etc',
    'blob:https://a.example/x',
    'https://hub.example@a.example/',
    'https://',
    'http:a.example',
    ' https://a.example',
  ])('%j cannot be opened', (target) => {
    expect(webAddress(target)).toBeUndefined();
  });

  test('shows a host whose letters look like others as it is', () => {
    const target = 'https://аpple.example/\u202egnp';
    expect(webAddress(target)).toBe('https://xn--pple-43d.example/%E2%80%AEgnp');
    expect(showsTarget(target, webAddress(target) ?? '')).toBe(false);
  });
});

test.each([
  ['https://a.example', 'https://a.example/', true],
  ['a.example/x', 'https://a.example/x', true],
  ['https://b.example/', 'https://a.example/', false],
  ['here', 'https://a.example/', false],
])('a link named %s shows that it leads to %s: %s', (label, target, shows) => {
  expect(showsTarget(label, target)).toBe(shows);
});

describe('an artifact', () => {
  test.each([
    ['https://git.example/acme/app/pull/12', 'pull', 'acme/app#12'],
    ['https://git.example/acme/app/pull/12/files', 'pull', 'acme/app#12'],
    ['https://git.example/acme/team/app/-/merge_requests/7', 'pull', 'acme/team/app#7'],
    ['https://git.example/acme/app/tree/fix/parser', 'branch', 'fix/parser'],
    ['https://git.example/acme/app/src/branch/fix', 'branch', 'fix'],
  ])('%s is a %s', (target, kind, name) => {
    expect(referenceIn(target)).toEqual({ kind, name, address: target });
  });

  test.each(['https://git.example/acme/app', 'https://a.example/pull/12', 'src/pull/12.ts', 'javascript:/a/b/pull/1'])(
    '%s is none of them',
    (target) => {
      expect(referenceIn(target)).toBeUndefined();
    },
  );

  test('that names a pull request or a branch is in the project of the others', () => {
    const others = ['notes.md', 'https://git.example/acme/app/-/merge_requests/7'];
    expect(referenceAmong('!12', others)?.address).toBe('https://git.example/acme/app/-/merge_requests/12');
    expect(referenceAmong('PR #12', others)?.name).toBe('acme/app#12');
    expect(referenceAmong('branch: fix/a b', others)).toBeUndefined();
    expect(referenceAmong('branch: fix/ä', others)?.address).toBe('https://git.example/acme/app/-/tree/fix/%C3%A4');
    expect(referenceAmong('branch: a\ud800', others)?.address).toMatch(/a%EF%BF%BD$/);
    expect(referenceAmong('src/main.ts', others)).toBeUndefined();
    expect(referenceAmong('#12', ['notes.md'])).toBeUndefined();
  });
});

describe('the start of a text', () => {
  test('is the text if little more would follow', () => {
    const text = 'line\n'.repeat(35);
    expect(startOf(text, 'list')).toBe(text);
  });

  test('ends with a whole line', () => {
    expect(startOf('line\n'.repeat(500), 'page')).toBe(`${'line\n'.repeat(98)}line`);
    expect(startOf(`${'a'.repeat(1_000)}\n${'b'.repeat(1_000)}`, 'list')).toBe('a'.repeat(1_000));
  });

  test('of one long line splits no character', () => {
    expect(startOf(`a${'🙂'.repeat(2_000)}`, 'list').isWellFormed()).toBe(true);
  });
});
