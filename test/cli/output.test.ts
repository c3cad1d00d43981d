// Formatting of output (widths, tables, styles), and collecting the output of a command (ends, progress).
import { describe, expect, test } from 'vitest';
import { jsonText, styled, table, withOwnStyles } from '../../server/cli/output.ts';
import { clip, padTo, widthOf } from '../../server/cli/text-width.ts';
import { collectOutput, lastCharacters } from '../../server/cli/worker/command-output.ts';
import { escapedJson, oneLine, printable } from '../../server/domain/text/terminal-text.ts';

describe('width', () => {
  test.each([
    ['abc', 3],
    ['小明', 4],
    ['🐑', 2],
    ['👩‍💻', 2],
    ['é', 1],
    ['ｆ', 2],
    ['', 0],
    ['❤️', 2],
    ['한', 2],
  ])('%s takes %i columns', (text, width) => expect(widthOf(text)).toBe(width));

  test('text is padded and cut by columns, never within a symbol', () => {
    expect(padTo('小明', 6)).toBe('小明  ');
    expect(clip('小明小明', 5)).toBe('小明…');
    expect(clip('小明', 4)).toBe('小明');
    expect(clip('a👩‍💻b', 3)).toBe('a…');
  });

  test('a table is aligned for any content', () => {
    expect(
      table(
        ['ALIAS', 'N', 'TEXT'],
        [
          ['小明', 1, 'a\nb'],
          ['builder', null, '\x1b[31mred\x1b[0m'],
        ],
      ),
    ).toBe('ALIAS    N  TEXT\n小明     1  a b\nbuilder  -  red');
  });

  test.each([
    ['\x1b[2Ja', 'a'],
    ['a\x07b', 'a\ufffdb'],
    [' a\u202eb\t\n c ', 'a<U+202E>b c'],
    ['\x9b2J', ''],
    ['plain', 'plain'],
    ['a\u2028b \ufeffc', 'a<U+2028>b <U+FEFF>c'],
  ])('%j on one line is %j', (text, line) => expect(oneLine(text)).toBe(line));
});

describe('text of several lines', () => {
  test.each([
    ['a\r\nb\n\tc', 'a\nb\n\tc'],
    ['a\rb', 'a\ufffdb'],
    ['\x1b]0;title\x07a', 'a'],
    ['\x1b[\x1b[2J2Ja', '\ufffd[2Ja'],
    ['\x85\x7f', '\ufffd\ufffd'],
    ['\u2066a\u2069', '<U+2066>a<U+2069>'],
    ['مرحبا 👩‍💻', 'مرحبا 👩‍💻'],
    ['a\u200e\u200f\u061c\ufeffb', 'a<U+200E><U+200F><U+061C><U+FEFF>b'],
    ['a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
    ['ok\u{e0068}\u{e0069}\u{e007f}', 'ok<U+E0068><U+E0069><U+E007F>'],
    ['می\u200cخواهم co\u00adop \u200bไทย ❤\ufe0f', 'می\u200cخواهم co\u00adop \u200bไทย ❤\ufe0f'],
  ])('%j is printed as %j', (text, printed) => expect(printable(text)).toBe(printed));

  test('keeps the colors of this program and removes all others', () => {
    const shown = styled(['bold', 'green'], 'green', { isShown: true });
    expect(withOwnStyles(`${shown} \x1b[94mblue\x1b[39m \x1b[8mhidden\x1b[2J`)).toBe(
      '\x1b[1m\x1b[32mgreen\x1b[39m\x1b[22m blue hidden',
    );
    expect(withOwnStyles(styled('red', 'a\x1b[94mb\x1b[2J', { isShown: true }))).toBe('\x1b[31mab\x1b[39m');
    expect(styled('red', 'plain', { isShown: false })).toBe('plain');
  });

  test('is the same value in JSON, without control characters', () => {
    const value = {
      text: 'a\x00\x1b\x7f\x80\x9f\u202a\u202e\u2066\u2069é"\\\n\u200e\u200f\u061c\u2028\u2029\ufeff\u{e0041}\u{e007f}',
    };
    expect(jsonText(value)).toMatch(
      /^[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]+$/u,
    );
    expect(jsonText('\u061c\u{e0041}')).toBe('"\\u061c\\udb40\\udc41"');
    expect(JSON.parse(jsonText(value, 2))).toEqual(value);
    expect(escapedJson('{"a":"é"}')).toBe('{"a":"é"}');
  });
});

describe('the output of a command', () => {
  const after = (...chunks: (readonly ['stdout' | 'stderr', string | Buffer])[]) => {
    const output = collectOutput();
    for (const [stream, chunk] of chunks) output.take(stream, Buffer.from(chunk));
    return output;
  };

  test('progress lines are removed, on either stream and split at any position', () => {
    const output = after(
      ['stdout', 'a\nagenthub:pro'],
      ['stderr', 'agenthub:progress 40\n'],
      ['stdout', 'gress 70.5\r\nb\nagenthub:progress many\n'],
    );
    output.finish();
    expect(output.progress()).toBe(70.5);
    expect(output.endOf('stdout')).toBe('a\nb\nagenthub:progress many\n');
    expect(output.endOf('stderr')).toBe('');
  });

  test('progress above 100 counts as 100', () =>
    expect(after(['stdout', 'agenthub:progress 250\n']).progress()).toBe(100));

  test('a line without a line break is shown immediately, and kept at the end', () => {
    const output = after(['stdout', 'working..']);
    expect(output.recent()).toBe('working..');
    expect(output.endOf('stdout')).toBe('');
    output.finish();
    expect(output.endOf('stdout')).toBe('working..');
  });

  test('characters are not split by chunks or cuts; characters that the hub rejects are replaced', () => {
    const emoji = Buffer.from('🐑'.repeat(30_000));
    const output = after(
      ['stdout', emoji.subarray(0, 50_001)],
      ['stdout', emoji.subarray(50_001)],
      ['stdout', Buffer.from([0, 0xff, 0x0a])],
    );
    output.finish();
    expect(output.endOf('stdout')).toBe(`${'🐑'.repeat(9_997)}\ufffd\ufffd\n`);
    expect(Array.from(output.recent())).toHaveLength(4_000);
    expect(output.recent().isWellFormed()).toBe(true);
  });

  test('lastCharacters never splits a character', () => {
    expect(lastCharacters('🐑🐑a', 2)).toBe('🐑a');
    expect(lastCharacters('abc', 5)).toBe('abc');
    expect(lastCharacters('a🐑', 1)).toBe('🐑');
  });
});
