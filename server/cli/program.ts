// Runs the command that argv selects. Printing help, the version or a completion script has no side effects.
import { type Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { StartError } from '../domain/errors.ts';
import { nearest } from '../domain/text/nearest.ts';
import { oneLine } from '../domain/text/terminal-text.ts';
import { COPY_DATABASE } from '../native/own-process.ts';
import { VERSION } from '../version.ts';
import { newCommand } from './command.ts';
import { addCommands, defaultVerbOf, FIRST_WORDS } from './commands.ts';
import { CommandError, EXIT, EXIT_MEANINGS, type ExitCode, wrongUsage } from './exit-codes.ts';
import { details, listed } from './help.ts';
import { type Failure, printError, useJsonOnStderr } from './output.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  exitOnClosedOutput();
  if (asksForJson(argv)) useJsonOnStderr();
  try {
    if (argv[2] === COPY_DATABASE) return await copyForHub(argv.slice(3));
    await performCommand(argv, (message) => printError({ error: 'invalid_usage', message, exit_code: EXIT.usage }));
  } catch (error) {
    endAfter(error, isHook(argv[2]));
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

// In `agenthub tasks | head -1`, the reader closes the pipe early.
function exitOnClosedOutput(): void {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(
      `agenthub: cannot write to standard output (${'code' in error ? String(error.code) : error.message})\n`,
    );
    process.exit(EXIT.failed);
  });
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

function reportInOneLine(command: Command, onUsageError: (line: string) => void, ...words: string[]): void {
  const usage = ['agenthub', ...words, '--help'].join(' ');
  command.exitOverride().configureOutput({
    outputError: (text) =>
      onUsageError(
        `${clipped(
          text
            .replace(/^error: /, '')
            .trim()
            .replace(/\s+/g, ' '),
        )} (see ${usage})`,
      ),
  });
  command.commands.forEach((each) => reportInOneLine(each, onUsageError, ...words, each.name()));
}

// A long invalid value would fill the screen.
function clipped(line: string): string {
  return line.replace(/'([^']{60})[^']{20,}'/g, "'$1…'");
}

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

type Ending = { code: ExitCode; failure?: Failure; leavesOpen?: true };

/** Returns the exit code and the message for an error of a command. Rethrows bugs. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  if (error instanceof CommandError) return endingWith(error.exitCode, error.error, oneLine(error.message));
  if (error instanceof StartError)
    return error instanceof ConfigError
      ? { ...endingWith(EXIT.usage, 'invalid_configuration', error.message), leavesOpen: true }
      : { ...endingWith(EXIT.failed, 'not_started', error.message), leavesOpen: true };
  throw error;
}

function endingWith(code: ExitCode, error: string, message: string): Ending {
  return { code, failure: { error, message, exit_code: code } };
}

function isExpected(error: unknown): boolean {
  return error instanceof CommanderError || error instanceof CommandError || error instanceof StartError;
}

// Node would print the error unfiltered, and its message may quote what a server sent.
function endingOfBug(error: unknown): Ending {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { ...endingWith(EXIT.failed, 'internal_error', trace), leavesOpen: true };
}

/** Clients take exit code 2 of a hook as an order to stop the agent or to wake it, and would obey it at every event. */
function isHook(command: string | undefined): boolean {
  return command === 'hook' || command === 'wake';
}

function endAfter(error: unknown, isOfHook: boolean): void {
  const { code: usual, failure, leavesOpen } = isExpected(error) ? endingOf(error) : endingOfBug(error);
  const code = isOfHook && usual === EXIT.usage ? EXIT.failed : usual;
  if (failure !== undefined) printError({ ...failure, exit_code: code });
  if (leavesOpen) process.exit(code);
  process.exitCode = code;
}
