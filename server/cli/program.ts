// Runs the command that argv selects. Printing help, the version or a completion script has no side effects.
import type { Command } from 'commander';
import { nearest } from '../domain/text/nearest.ts';
import { scriptFor } from '../native/compiled.ts';
import { COPY_DATABASE } from '../native/own-process.ts';
import { VERSION } from '../version.ts';
import { newCommand, reportInOneLine } from './command.ts';
import { addCommands, defaultVerbOf, FIRST_WORDS } from './commands.ts';
import { endAfter, exitOnClosedOutput } from './ending.ts';
import { EXIT, EXIT_MEANINGS, wrongUsage } from './exit-codes.ts';
import { details, listed } from './help.ts';
import { printError, useJsonOnStderr } from './output.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  exitOnClosedOutput();
  if (asksForJson(argv)) useJsonOnStderr();
  try {
    if (argv[2] === COPY_DATABASE) return await copyForHub(argv.slice(3));
    await performCommand(argv, (message) => printError({ error: 'invalid_usage', message, exit_code: EXIT.usage }));
  } catch (error) {
    endAfter(error, scriptFor(argv) === 'hooks');
  }
}

/** Read before the options are, since invalid ones are reported in the same format. */
function asksForJson(argv: readonly string[]): boolean {
  const words = argv.slice(2, argv.includes('--') ? argv.indexOf('--') : argv.length);
  return words.some(
    (word, index) =>
      ['-ojson', '--output=json'].includes(word) || (['-o', '--output'].includes(word) && words[index + 1] === 'json'),
  );
}

/** Throws the error that ended the command. Usage errors of commander are passed to `onUsageError` first. */
export async function performCommand(argv: readonly string[], onUsageError: (line: string) => void): Promise<void> {
  const [first, second] = argv.slice(2);
  assertNamed(first);
  if (first === 'help') assertNamed(second);
  const commandLine = program(
    onUsageError,
    FIRST_WORDS.find((word) => word === first),
  );
  assertKnown(commandLine, second);
  await commandLine.parseAsync(withPlainWait(argv));
}

// Runs in a child process of a hub. It is not a user command, so help and completion do not list it.
async function copyForHub([from = '', to = '']: readonly string[]): Promise<void> {
  const { copyDatabase } = await import('../store/file/copy.ts');
  process.umask(0o077);
  await copyDatabase(from, to);
}

function program(onUsageError: (line: string) => void, firstWord: string | undefined): Command {
  const program = newCommand('agenthub', DESCRIPTION).version(VERSION, '-V, --version');
  addCommands(program, firstWord);
  reportInOneLine(program, onUsageError);
  return program.addHelpText('after', () => `\nExit codes:\n${exitCodes()}\n${details({ examples: EXAMPLES })}`);
}

const DESCRIPTION =
  'A coordination hub for software agents: tasks, messages and live events over MCP, REST and a web console.';

function exitCodes(): string {
  return EXIT_MEANINGS.map(([code, meaning]) => listed(String(code).padStart(2), meaning)).join('\n');
}

export const EXAMPLES: readonly string[] = [
  'agenthub                                        run a hub on this machine',
  'agenthub login                                  sign in, in another terminal',
  'agenthub work --alias counter -- wc -w          run an agent that counts words',
  'agenthub send --wait counter "how many words"   send a task, print the result',
];

// Without this, commander would treat a mistyped command as an excess argument of the default command, and print a page
// of help for an incomplete one.
function assertKnown({ commands: [family, ...others] }: Command, second: string | undefined): void {
  if (family === undefined || others.length > 0 || family.commands.length === 0) return;
  const first = family.name();
  const usual = defaultVerbOf(first);
  if (usual === undefined && second === undefined)
    throw wrongUsage(`${first} requires a subcommand: ${namesOf(family).join(', ')} (see agenthub ${first} --help)`);
  // An id is never similar to a verb, but an alias may be.
  if (usual?.parameters === '<id>' && second !== undefined) assertNotMistyped(family, second);
}

function assertNotMistyped(family: Command, word: string): void {
  const near = nearest(word, namesOf(family));
  if (near === undefined || near === word) return;
  const name = family.name();
  throw wrongUsage(`unknown command ${name} ${word}; did you mean ${name} ${near}? (see agenthub ${name} --help)`);
}

function assertNamed(word: string | undefined): void {
  const known = [...FIRST_WORDS, 'help'];
  if (word === undefined || word.startsWith('-') || known.includes(word)) return;
  const near = nearest(word, known);
  throw wrongUsage(
    `unknown command ${word}${near === undefined ? '' : `; did you mean ${near}?`} (see agenthub --help)`,
  );
}

function namesOf(command: Command): string[] {
  return command.commands.map((each) => each.name());
}

// Commander would treat the word after a bare --wait as its value.
export function withPlainWait(argv: readonly string[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => (word === '--wait' && index < end ? '--wait=' : word));
}
