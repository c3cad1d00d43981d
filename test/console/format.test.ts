import { describe, expect, test } from 'vitest';
import {
  age,
  byteSize,
  exactTime,
  excerpt,
  headline,
  momentOf,
  shortTime,
  timeOfDay,
  withoutHeadings,
} from '../../console/parts/format.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);

describe('the title of an answer', () => {
  test.each([
    ['> All caches, or only one?\n\nOnly the first.', 'Only the first.'],
    ['> One\n> and two\nBoth.', 'Both.'],
    ['> Only a quote', 'Only a quote'],
  ])('leaves out what it quotes: %j', (text, title) => expect(headline(text)).toBe(title));
});

describe('a timestamp', () => {
  test('is parsed as UTC', () => {
    expect(momentOf('2026-01-31 12:00:00')).toBe(NOW);
  });

  test.each(['', 'yesterday', '2026-01-31', '2026-01-31 12:00:00Z'])('is NaN for %j', (text) => {
    expect(momentOf(text)).toBeNaN();
    expect(age(momentOf(text), NOW, 'en')).toBe('');
    expect(exactTime(momentOf(text), 'en')).toBe('');
  });
});

describe('a time of day', () => {
  test.each(['en', 'zh-CN'])('uses the 24-hour clock in %s', (language) => {
    for (const write of [exactTime, shortTime, timeOfDay])
      expect(write(new Date(2026, 0, 31, 0, 7, 9).getTime(), language)).toMatch(/(^|\D)0?0:07:09$/);
  });
});

test.each([
  [0, '0MB'],
  [1_250_000, '1.3MB'],
  [-2_000_000, '-2MB'],
  [999_000_000, '999MB'],
  [77_126_700_000, '77.1GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(byteSize(bytes, 'en')).toBe(text);
});

describe('an age', () => {
  test.each([
    [0, '0s', '0秒'],
    [59_999, '59s', '59秒'],
    [60_000, '1m', '1分钟'],
    [3_599_999, '59m', '59分钟'],
    [3_600_000, '1h', '1小时'],
    [86_399_999, '23h', '23小时'],
    [86_400_000, '1d', '1天'],
    [400 * 86_400_000, '400d', '400天'],
  ])('of %i ms is %s', (passed, english, chinese) => {
    expect(age(NOW - passed, NOW, 'en')).toBe(english);
    expect(age(NOW - passed, NOW, 'zh-CN')).toBe(chinese);
  });

  test('is never negative when the clocks differ', () => {
    expect(age(NOW + 5_000, NOW, 'en')).toBe('0s');
  });
});

describe('an excerpt', () => {
  test('is one line', () => {
    expect(excerpt('  first\n\n\tsecond ')).toBe('first second');
  });

  test('of a long text is short and splits no character', () => {
    const cut = excerpt('🙂'.repeat(5_000));
    expect(cut).toBe(`${'🙂'.repeat(240)}…`);
    expect(cut.isWellFormed()).toBe(true);
  });

  test('leaves a short text unchanged', () => {
    expect(excerpt('<b>not markup</b>')).toBe('<b>not markup</b>');
  });
});

test.each([
  ['## Failed\n\nNo space left on device\nRetry later', 'No space left on device'],
  ['# Summary\n## Result\nThree tests fail', 'Three tests fail'],
  ['Plain text\n# Details', 'Plain text'],
  ['# Done', 'Done'],
  ['# Done\n', 'Done'],
  ['#1234 is fixed\nand closed', '#1234 is fixed'],
])('the title of the result %j is %j', (result, expected) => {
  expect(headline(withoutHeadings(result))).toBe(expected);
});
