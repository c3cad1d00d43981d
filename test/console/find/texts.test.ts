import { describe, expect, test } from 'vitest';
import { markedIn, partAround } from '../../../console/find/highlight.tsx';
import { idIn } from '../../../console/find/ids.ts';

describe('an ID in a text', () => {
  test.each([
    ['task_VboXEBmpfSQqRXHF', '/tasks/task_VboXEBmpfSQqRXHF'],
    [' `msg_VboXEBmpfSQqRXHF`\n', '/messages/msg_VboXEBmpfSQqRXHF'],
    ['"net_abcdefghijklmnopqrstuv",', '/networks/net_abcdefghijklmnopqrstuv'],
  ])('opens its page: %j', (text, path) => expect(idIn(text)?.path).toBe(path));

  test.each(['task', 'task_', 'task_12 is late', 'usr_abcdefghijklmnop', 'see task_VboXEBmpfSQqRXHF', 'task_../../x'])(
    'is not what a text is: %j',
    (text) => expect(idIn(text)).toBeUndefined(),
  );
});

describe('the found words of a text', () => {
  test('are the phrase in either case, or else the single words', () => {
    expect(markedIn('The Parser parses', 'parser')).toEqual(['The ', 'Parser', ' parses']);
    expect(markedIn('wall of the house', 'house wall')).toEqual(['', 'wall', ' of the ', 'house', '']);
    expect(markedIn('a+b (c)', '+b (')).toEqual(['a', '+b (', 'c)']);
    expect(markedIn('nothing', '')).toEqual(['nothing']);
  });

  test('are shown with the words around them', () => {
    const text = `${'before '.repeat(20)}needle${' after'.repeat(60)}`;
    expect(partAround(text, 'Needle')).toMatch(/^…(before ){6}needle( after){26}.*…$/);
    expect(partAround('short needle', 'needle')).toBe('short needle');
    expect(partAround('# Title\n\n`needle` **here**', 'needle')).toBe('Title needle here');
    expect(partAround('nothing', 'needle')).toBeUndefined();
  });
});
