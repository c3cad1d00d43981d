import { expect, test } from 'vitest';
import { LAST_OUTPUT } from '../../server/domain/limits.ts';
import { lastLine } from '../../server/domain/session.ts';

test.each<[string, string, string | null]>([
  ['an empty output', '', null],
  ['only blank lines', '\n  \n', null],
  ['one line', 'ready', 'ready'],
  ['the line before blank ones', 'first\nlast  \n\n', 'last'],
  ['Windows line ends', 'first\r\nlast\r\n', 'last'],
  ['a line that was overwritten', '10%\r20%\r30%', '30%'],
  ['colors', '\x1b[1;31merror\x1b[0m: no file', 'error: no file'],
  ['a terminal title', '\x1b]0;build\x07done', 'done'],
  ['a bell', 'done\x07', 'done'],
  [
    'a stack trace',
    'Error: no space left\n    at build (/src/build.js:88:3)\n    at async run.js:3:1',
    'Error: no space left',
  ],
  ['a panic', 'panic: nil map\n\nmain.go:42 +0x1d\n/src/main.go:42', 'panic: nil map'],
  ['frames alone', 'at build (build.js:88)\nat run.js:3', 'at run.js:3'],
  ['a sentence that begins like a frame', 'done\nat last, it is green', 'done'],
  ['a very long line', '🐈'.repeat(1_000), `${'🐈'.repeat(LAST_OUTPUT - 1)}…`],
])('the last line of %s', (_, output, line) => {
  expect(lastLine(output, 'working')).toBe(line);
});

test.each<[string, string, string]>([
  ['options', 'Read 12 files\nWhich one?\n1. red\n2. blue', 'Which one? 1. red 2. blue'],
  ['what follows', 'May I? (yes/no)\n\nI wait.', 'May I? (yes/no) I wait.'],
  ['the question alone', 'first?\nsecond\nWhich color?\n', 'Which color?'],
  ['no question', 'I need the key of the server.\nIt is in the vault.', 'It is in the vault.'],
  ['an old question', `Which color?\n${'step\n'.repeat(12)}done`, 'done'],
])('of an agent that asks, its question with %s', (_, output, said) => {
  for (const status of ['waiting_input', 'blocked'] as const) expect(lastLine(output, status)).toBe(said);
  expect(lastLine(output, 'error')).toBe(output.trimEnd().split('\n').at(-1));
});
