import { describe, expect, test } from 'vitest';
import { parseMarkdown, ticksOf } from '../../../console/messages/markdown.ts';

describe('a text an agent wrote', () => {
  test('is cut into prose and code at its fences', () => {
    expect(parseMarkdown('Do this:\n\n```ts\nlet a = 1;\n```\nThen that.')).toEqual([
      { kind: 'prose', text: 'Do this:' },
      { kind: 'code', text: 'let a = 1;', language: 'ts' },
      { kind: 'prose', text: 'Then that.' },
    ]);
  });

  test('keeps a fence inside a longer one, and one that is never closed', () => {
    expect(parseMarkdown('````\n```\nx\n```\n````')).toEqual([{ kind: 'code', text: '```\nx\n```' }]);
    expect(parseMarkdown('a\n~~~\nb')).toEqual([
      { kind: 'prose', text: 'a' },
      { kind: 'code', text: 'b' },
    ]);
  });

  test.each(['', '<script>1</script>', 'a `b` c'])('without fences is one piece: %j', (text) => {
    expect(parseMarkdown(text)).toEqual(text === '' ? [] : [{ kind: 'prose', text }]);
  });

  test('has words between ticks as every second part', () => {
    expect(ticksOf('run `npm test` now')).toEqual(['run ', 'npm test', ' now']);
    expect(ticksOf('a lone ` tick')).toEqual(['a lone ` tick']);
  });
});
