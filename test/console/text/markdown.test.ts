import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocksOf } from '../../../console/text/blocks.ts';
import { parseMarkdown } from '../../../console/text/markdown.ts';
import type { Block, Inline } from '../../../console/text/tree.ts';

describe('Markdown from an agent', () => {
  test.each<[string, string, Block]>([
    ['a heading', '## Two *words*', heading(2, 'Two ', { kind: 'emphasis', children: ['words'] })],
    ['a quote', '> said', { kind: 'quote', children: [paragraph('said')] }],
    ['a fence', '```TS title=x\nlet a;\n```', { kind: 'code', language: 'ts', text: 'let a;' }],
    ['an unclosed fence', '~~~\nb', { kind: 'code', language: '', text: 'b' }],
    ['a fence in a longer one', '````\n```\nx\n```\n````', { kind: 'code', language: '', text: '```\nx\n```' }],
    ['a rule', '---', { kind: 'rule' }],
    ['inline marks', '**a** ~~b~~ `c*`', paragraph(strong('a'), ' ', deleted('b'), ' ', { kind: 'code', text: 'c*' })],
    ['an escaped mark', String.raw`\*a\*`, paragraph('*', 'a', '*')],
    ['lines', 'one\n  two', paragraph('one\n  two')],
  ])('has %s', (_, text, block) => {
    expect(parseMarkdown(text)).toEqual([block]);
  });

  test('has lists that nest, with numbers and tasks', () => {
    expect(parseMarkdown('3. a\n4. b\n   - [x] c\n   - [ ] d')).toEqual([
      {
        kind: 'list',
        start: 3,
        items: [
          { done: undefined, children: [paragraph('a')] },
          {
            done: undefined,
            children: [
              paragraph('b'),
              {
                kind: 'list',
                start: undefined,
                items: [
                  { done: true, children: [paragraph('c')] },
                  { done: false, children: [paragraph('d')] },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  test('has tables with alignment', () => {
    expect(parseMarkdown('|a|b|\n|:-:|-:|\n|1|`2`|')).toEqual([
      {
        kind: 'table',
        head: [
          { align: 'center', children: ['a'] },
          { align: 'right', children: ['b'] },
        ],
        rows: [
          [
            { align: 'center', children: ['1'] },
            { align: 'right', children: [{ kind: 'code', text: '2' }] },
          ],
        ],
      },
    ]);
  });

  test.each([
    ['see https://a.example/x_y.', 'https://a.example/x_y', '.'],
    ['(https://a.example/x)', 'https://a.example/x', ')'],
    ['https://a.example/x_(y)', 'https://a.example/x_(y)', undefined],
    ['(https://a.example/x_(y)).', 'https://a.example/x_(y)', ').'],
    ['见 https://a.example/x。完', 'https://a.example/x', '。完'],
    ['<https://a.example/>', 'https://a.example/', '>'],
  ])('finds the link in %j', (text, target, after) => {
    const [block] = parseMarkdown(text);
    const parts = block?.kind === 'paragraph' ? block.children : [];
    const at = parts.findIndex((part) => typeof part !== 'string' && part.kind === 'link');
    expect(parts[at]).toEqual({ kind: 'link', target, children: [target] });
    expect(parts[at + 1]).toBe(after);
  });

  test.each([
    ['HTML', '<b onclick=x>a</b> <!-- c -->'],
    ['a block of HTML', '<details>\n<summary>a</summary>\n</details>'],
    ['an entity', '&lt;b&gt;'],
    ['a reference', '[a][b]\n[b]: javascript:c'],
  ])('has no node for %s, which stays text', (_, text) => {
    const parts = parseMarkdown(text).flatMap((block) => (block.kind === 'paragraph' ? block.children : [undefined]));
    expect(parts.every((part) => typeof part === 'string')).toBe(true);
    expect(parts.join('')).toBe(text);
  });

  test('turns an image into a link', () => {
    expect(parseMarkdown('![alt](https://a.example/b.png)')).toEqual([
      paragraph({ kind: 'link', target: 'https://a.example/b.png', children: ['alt'] }),
    ]);
  });
});

/** The letters of the alphabet of Markdown, each repeated up to the longest text of a task. */
const LONGEST = 10_000;
const PATHOLOGICAL = [
  ...['> ', '>', '*', '*a ', 'a**b', '**a *b ', '_a ', '[', '[a](', '![', '[]', '`', '`a``b', '- ', '1. ', '- a\n'],
  ...['<', '<!--', '<a href="', '&', '\\', '~', '~~a~', 'https://', 'www.', 'a@', '#', 'a\n-\n', '* * * ', '\n', ' '],
  ...[
    '\t',
    '```\n',
    '    a\n',
    '> - ',
    '- > ',
    '[a](b "',
    '[a]: b\n',
    '***a**',
    '|',
    'a|',
    '|\n',
    'a|b\n-|-\n\n',
    '|a|b|\n|-|-|\n',
    '\u001b[31m',
    '> > a\n',
  ],
].map((part): [string, string] => [JSON.stringify(part), part.repeat(LONGEST / part.length)]);

describe('a pathological text is parsed in time and stays small:', () => {
  test.each([
    ...PATHOLOGICAL,
    ['a wide table', `${'|a'.repeat(1_250)}\n${'|-'.repeat(1_250)}\n${'b\n'.repeat(2_500)}`],
    ['a style with many codes', `\u001b[${'1;'.repeat(4_990)}0ma`],
    ['deep JSON', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['nested quotes', Array.from({ length: 140 }, (_, n) => `${'>'.repeat(n)} a`).join('\n')],
    ['nested lists', Array.from({ length: 140 }, (_, n) => `${' '.repeat(n)}- a`).join('\n')],
    ['nested links', `${'[a'.repeat(2_500)}${'](b)'.repeat(1_250)}`],
    ['an address that ends in parentheses', `https://a.example/${').'.repeat(4_990)}`],
    ['an address without an end', `${'a.'.repeat(5_000)}@`],
  ])('%s', (_, text) => {
    const start = process.cpuUsage();
    const blocks = blocksOf(text);
    // Of the processor: five times what it takes. What this prevents took seconds or exhausted the memory.
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
    expect(countNodes(blocks)).toBeLessThan(11_000);
    expect(depthOf(blocks)).toBeLessThan(40);
  });

  test('any other', () => {
    const marks = fc.constantFrom(...'>*_-`~[]()!#|<&\\ \n\t1.ab:@"', '\u001b[1m', 'https://');
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 400 }), (parts) => {
        const blocks = blocksOf(parts.join(''));
        expect(countNodes(blocks)).toBeLessThan(2_000);
      }),
      { numRuns: 300 },
    );
  });
});

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((sum, each) => sum + countNodes(each), 0);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return (
    1 +
    Math.max(0, ...(Array.isArray(value) ? value.map(depthOf).map((n) => n - 1) : Object.values(value).map(depthOf)))
  );
}

describe('a text without fences', () => {
  test.each([
    ['terminal output', '\u001b[32mok\u001b[0m 1 * 2 * 3', 'ansi'],
    ['a diff', 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b', 'diff'],
    ['JSON', '{"a": [1, "*"]}', 'json'],
  ])('that is %s is one block of code', (_, text, language) => {
    expect(blocksOf(`${text}\n`)).toEqual([{ kind: 'code', language, text }]);
  });

  test('that only looks like JSON is Markdown', () => {
    expect(blocksOf('[a](https://a.example)')).toMatchObject([{ kind: 'paragraph' }]);
  });
});

function heading(depth: number, ...children: Inline[]): Block {
  return { kind: 'heading', depth, children };
}
function paragraph(...children: Inline[]): Block {
  return { kind: 'paragraph', children };
}
function strong(...children: Inline[]): Inline {
  return { kind: 'strong', children };
}
function deleted(...children: Inline[]): Inline {
  return { kind: 'deleted', children };
}
