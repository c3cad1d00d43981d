import { describe, expect, test } from 'vitest';
import { parseMarkdown, splitInlineCode } from '../../../console/messages/markdown.ts';

describe('text from an agent', () => {
  test('is split into prose and code at fences', () => {
    expect(parseMarkdown('Do this:\n\n```ts\nlet a = 1;\n```\nThen that.')).toEqual([
      { kind: 'prose', text: 'Do this:' },
      { kind: 'code', text: 'let a = 1;', language: 'ts' },
      { kind: 'prose', text: 'Then that.' },
    ]);
  });

  test('keeps a fence inside a longer one and an unclosed fence', () => {
    expect(parseMarkdown('````\n```\nx\n```\n````')).toEqual([{ kind: 'code', text: '```\nx\n```' }]);
    expect(parseMarkdown('a\n~~~\nb')).toEqual([
      { kind: 'prose', text: 'a' },
      { kind: 'code', text: 'b' },
    ]);
  });

  test.each(['', '<script>1</script>', 'a `b` c'])('without fences is one part: %j', (text) => {
    expect(parseMarkdown(text)).toEqual(text === '' ? [] : [{ kind: 'prose', text }]);
  });

  test('has the text between backticks at odd indexes', () => {
    expect(splitInlineCode('run `npm test` now')).toEqual(['run ', 'npm test', ' now']);
    expect(splitInlineCode('a lone ` tick')).toEqual(['a lone ` tick']);
  });
});
