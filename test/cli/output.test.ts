// What is printed and what is taken from a command's output: widths, tables, ends, progress.
import { describe, expect, test } from 'vitest';
import { oneLine, table } from '../../server/cli/output.ts';
import { gatherOutput, lastCharacters } from '../../server/cli/task-output.ts';
import { clip, padTo, widthOf } from '../../server/cli/text-width.ts';

describe('width', () => {
  test.each([['abc', 3], ['小明', 4], ['🐑', 2], ['👩‍💻', 2], ['é', 1], ['ｆ', 2], ['', 0], ['❤️', 2], ['한', 2]])('%s takes %i columns', (text, width) => expect(widthOf(text)).toBe(width));

  test('text is padded and cut by columns, never inside a symbol', () => {
    expect(padTo('小明', 6)).toBe('小明  ');
    expect(clip('小明小明', 5)).toBe('小明…');
    expect(clip('小明', 4)).toBe('小明');
    expect(clip('a👩‍💻b', 3)).toBe('a…');
  });

  test('a table is aligned, whatever is in it', () => {
    expect(table(['ALIAS', 'N', 'TEXT'], [['小明', 1, 'a\nb'], ['builder', null, '\x1b[31mred\x1b[0m']])).toBe('ALIAS    N  TEXT\n小明     1  a b\nbuilder  -  red');
  });

  test.each([['\x1b[2Ja', 'a'], ['a\x07b', 'a\ufffdb'], [' a\u202eb\t\n c ', 'ab c'], ['\x9b2J', ''], ['plain', 'plain']])('%j on one line is %j', (text, line) => expect(oneLine(text)).toBe(line));
});

describe('what a command prints', () => {
  const after = (...pieces: (readonly ['stdout' | 'stderr', string | Buffer])[]) => {
    const output = gatherOutput();
    for (const [stream, piece] of pieces) output.take(stream, Buffer.from(piece));
    return output;
  };

  test('progress is taken out, whichever stream it comes on and wherever it is cut', () => {
    const output = after(['stdout', 'a\nagenthub:pro'], ['stderr', 'agenthub:progress 40\n'], ['stdout', 'gress 70.5\r\nb\nagenthub:progress many\n']);
    output.finish();
    expect(output.progress()).toBe(70.5);
    expect(output.endOf('stdout')).toBe('a\nb\nagenthub:progress many\n');
    expect(output.endOf('stderr')).toBe('');
  });

  test('more than all is all', () => expect(after(['stdout', 'agenthub:progress 250\n']).progress()).toBe(100));

  test('a line without an end shows at once, and counts at the end', () => {
    const output = after(['stdout', 'working..']);
    expect(output.recent()).toBe('working..');
    expect(output.endOf('stdout')).toBe('');
    output.finish();
    expect(output.endOf('stdout')).toBe('working..');
  });

  test('characters are kept whole over pieces and cuts; what the hub does not take is replaced', () => {
    const sheep = Buffer.from('🐑'.repeat(30_000));
    const output = after(['stdout', sheep.subarray(0, 50_001)], ['stdout', sheep.subarray(50_001)], ['stdout', Buffer.from([0, 0xff, 0x0a])]);
    output.finish();
    expect(output.endOf('stdout')).toBe(`${'🐑'.repeat(9_997)}\ufffd\ufffd\n`);
    expect(Array.from(output.recent())).toHaveLength(4_000);
    expect(output.recent().isWellFormed()).toBe(true);
  });

  test('the last characters are never half of one', () => {
    expect(lastCharacters('🐑🐑a', 2)).toBe('🐑a');
    expect(lastCharacters('abc', 5)).toBe('abc');
    expect(lastCharacters('a🐑', 1)).toBe('🐑');
  });
});
