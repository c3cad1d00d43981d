// The manual page: it has every command and option, and groff, if installed, formats it without a warning.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ROWS } from '../../server/cli/commands.ts';
import { EXAMPLES } from '../../server/cli/program.ts';
import { newCli, outputOf } from '../support/process/command-line.ts';
import { ANY_TARGET } from '../support/process/hub-process.ts';

const hasGroff = spawnSync('groff', ['--version']).status === 0;
if (!hasGroff) process.stderr.write('NOT TESTED: groff is not installed, so the manual page was not formatted\n');

const printedPage = (): Promise<string> => outputOf(newCli(ANY_TARGET), ['man']);

test('has the sections of a manual page, and only ASCII', async () => {
  const page = await printedPage();
  const sections = [...page.matchAll(/^\.SH (.+)$/gm)].map(([, title]) => title);
  expect(page).toMatch(/^\.TH AGENTHUB 1 /);
  expect(sections).toEqual([
    'NAME',
    'SYNOPSIS',
    'DESCRIPTION',
    'COMMANDS',
    '"CONFIGURATION"',
    '"OPTIONS FOR THE HUB"',
    'EXIT STATUS',
    'EXAMPLES',
  ]);
  expect(page).toMatch(/^[\n -~]*$/);
});

describe.skipIf(!hasGroff)('formatted by groff', () => {
  const format = async (...options: string[]): Promise<{ text: string; warnings: string }> => {
    const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-P-cbou', '-ww', ...options], {
      input: await printedPage(),
      encoding: 'utf8',
    });
    return { text: stdout, warnings: stderr };
  };

  test('has no mistakes, and every line of prose fits into 80 columns', async () => {
    const { text, warnings } = await format('-rLL=80n');
    expect(warnings).toBe('');
    const examples = [...EXAMPLES, ...ROWS.flatMap((row) => row.examples)];
    const isExample = (line: string) => examples.some((example) => line.trim() === example);
    const tooLong = text.split('\n').filter((line) => line.length > 80 && !isExample(line));
    expect(tooLong).toEqual([]);
  });

  test('shows every command with its parameters, options and examples as they are typed', async () => {
    const { text } = await format('-rLL=1000n');
    const lines = text.split('\n').map((line) => line.trim());
    // A short option is followed by its description on the same line.
    const isShown = (flags: string) => lines.some((line) => line === flags || line.startsWith(`${flags} `));
    for (const { words, short, parameters = '', options = [], about, examples } of ROWS) {
      expect.soft(lines).toContain(`agenthub ${words} ${parameters}`.trim());
      if (short !== undefined) expect.soft(lines).toContain(`Short form: agenthub ${short}`);
      expect.soft(lines).toContain(about);
      for (const { flags, hidden } of options) expect.soft(isShown(flags), `${words} ${flags}`).toBe(!hidden);
      for (const example of examples) expect.soft(lines).toContain(example);
    }
  });
});
