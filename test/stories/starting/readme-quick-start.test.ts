// A new user pastes the quick start of README.md into a terminal, and it works. It leaves no secret behind.
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newCli, outputOf } from '../../support/process/command-line.ts';
import { isJailed } from '../../support/process/hub-process.ts';
import { putProgram } from '../../support/process/readme-shell.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { hasTerminal, startLineOnTerminal } from '../../support/process/terminal.ts';
import { DOCUMENTS, readmeBlocks, sectionOf } from '../../support/readme.ts';

if (!hasTerminal)
  process.stderr.write('NOT TESTED: script of util-linux is not installed, so the quick start was not run\n');

const SECTION = sectionOf(DOCUMENTS, 'Quick start');
const CREDENTIALS = '.config/agenthub/credentials.json';

storyOnce('the quick start of README', (target) => {
  test.skipIf(!hasTerminal || isJailed)('creates an account, signs in, and an agent settles a task', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'dist'));
    putProgram(target, join(cwd, 'dist/agenthub'));
    const hub = await startHub({ target, data: join(cwd, 'agenthub-data') });
    const before = readdirSync(cwd);

    const cli = newCli(target);
    const LINES = readmeBlocks('Quick start', 'sh')
      .map(({ text }) => text)
      .join('\n');
    const terminal = startLineOnTerminal('exec bash --norc -eo pipefail -c "$LINES"', {
      env: { ...cli.env, LINES },
      cwd,
    });
    await terminal.shows('Password: ');
    const [, password = ''] = /^password +(\S+)\r$/m.exec(terminal.screen()) ?? [];
    expect(password, terminal.screen()).toMatch(/^\w{16,}$/);
    terminal.type(`${password}\r`);
    expect(await terminal.ended, terminal.screen()).toBe(0);
    const shown = [
      `signed in to ${hub.url} as ada, in the network ada\r\n`,
      /^5\r$/m,
      /^task_\w+ +replied .* hub +counter .* how many words are these\r$/m,
      /^counter +idle /m,
    ];
    for (const words of shown) expect.soft(terminal.screen()).toMatch(words);

    expect(readdirSync(cwd), 'the working directory').toEqual(before);
    expect(secretFiles(cwd, password)).toEqual([]);
    expect(secretFiles(cli.home, password)).toEqual([
      { path: CREDENTIALS, mode: 0o600, secret: expect.stringMatching(/^[un]tok_/) },
    ]);
    expect(SECTION).toContain(`\`~/${CREDENTIALS}\``);
    expect(SECTION).toContain('`agenthub logout` revokes');
    await outputOf(cli, ['logout']);
    expect(secretFiles(cli.home, password)).toEqual([]);
  });
});

/** The id of a token is shorter, and SQLite may overwrite the byte before a deleted one with a `u` or an `n`. */
const TOKEN = /\b[un]tok_\w{36}/;

/** The files with a token or the password, what it is, and who may read them. */
function secretFiles(directory: string, password: string): { path: string; mode: number; secret: string }[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('dist/') && statSync(join(directory, path)).isFile())
    .flatMap((path) => {
      const text = readFileSync(join(directory, path), 'latin1');
      const [secret] = TOKEN.exec(text) ?? (text.includes(password) ? [password] : []);
      return secret === undefined ? [] : [{ path, mode: statSync(join(directory, path)).mode & 0o777, secret }];
    });
}
