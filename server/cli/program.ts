// The command line: which command an argv means. Printing help, the version or a completion script touches nothing.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { StartError } from '../domain/errors.ts';
import { nearest } from '../domain/text/nearest.ts';
import { oneLine } from '../domain/text/terminal-text.ts';
import { COPY_DATABASE } from '../native/own-process.ts';
import { VERSION } from '../version.ts';
import { CLIENT_COMMANDS } from './client/commands.ts';
import { commandFor, helpAfter } from './command.ts';
import { CommandError, EXIT, type ExitCode, exitCodeTable, wrongUsage } from './exit-codes.ts';
import { OPERATOR_COMMANDS } from './operator-commands.ts';
import { complain } from './output.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  endWithItsReader();
  try {
    if (argv[2] === COPY_DATABASE) return await copyForHub(argv.slice(3));
    await performCommand(argv, complain);
  } catch (error) {
    endAfter(error);
  }
}

/** Throws how it ended; what commander has to say of wrong usage is complained of before. */
export async function performCommand(argv: readonly string[], complain: (line: string) => void): Promise<void> {
  const commandLine = program(complain);
  assertKnown(commandLine, argv.slice(2));
  await commandLine.parseAsync(withPlainWait(argv));
}

// As with `agenthub tasks | head -1`: nobody is left to write for.
function endWithItsReader(): void {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(
      `agenthub: cannot write to standard output (${'code' in error ? String(error.code) : error.message})\n`,
    );
    process.exit(EXIT.failed);
  });
}

// What a hub has done in a process of its own is no command for people: neither help nor completion knows of it.
async function copyForHub([from = '', to = '']: readonly string[]): Promise<void> {
  const { copyDatabase } = await import('../store/file/copy.ts');
  process.umask(0o077);
  await copyDatabase(from, to);
}

function program(complain: (line: string) => void): Command {
  const program = new Command('agenthub')
    .description(
      'A coordination hub for software agents: tasks, messages and live events over MCP, REST and a web console.',
    )
    .version(VERSION, '-V, --version');
  for (const [group, entries] of [...Object.entries(OPERATOR_COMMANDS), ...Object.entries(CLIENT_COMMANDS)]) {
    entries.forEach((entry) =>
      program.addCommand(commandFor(entry).helpGroup(group), { isDefault: entry.name === 'serve' }),
    );
  }
  complainInOneLine(program, complain);
  return program.addHelpText('after', helpAfter(EXAMPLES, `Exit codes:\n${exitCodeTable()}`));
}

const EXAMPLES = [
  'agenthub                                         run a hub here',
  'agenthub login                                   then, in another terminal, sign in to it',
  'agenthub work --alias counter -- wc -w           be an agent that counts words',
  'agenthub send --wait counter "how many words"    give it a task and print the result',
];

function complainInOneLine(command: Command, complain: (line: string) => void, ...words: string[]): void {
  const usage = ['agenthub', ...words, '--help'].join(' ');
  command.exitOverride().configureOutput({
    outputError: (text) =>
      complain(
        `agenthub: ${clipped(
          text
            .replace(/^error: /, '')
            .trim()
            .replace(/\s+/g, ' '),
        )} (${usage} shows how)\n`,
      ),
  });
  command.commands.forEach((each) => complainInOneLine(each, complain, ...words, each.name()));
}

// A value that is wrong because it is long would fill the screen.
function clipped(line: string): string {
  return line.replace(/'([^']{60})[^']{20,}'/g, "'$1…'");
}

// Without this a mistyped command would be an argument too many of the default one, and half a command a page of help.
function assertKnown(commandLine: Command, [first, second]: readonly string[]): void {
  assertNamed(commandLine, first);
  if (first === 'help') return assertNamed(commandLine, second);
  const family = commandLine.commands.find((command) => command.name() === first && command.commands.length > 0);
  if (family === undefined || second !== undefined) return;
  throw wrongUsage(
    `${first} needs one of these after it: ${namesOf(family).join(', ')} (agenthub ${first} --help shows what they do)`,
  );
}

function assertNamed(commandLine: Command, word: string | undefined): void {
  const known = [...namesOf(commandLine), 'help'];
  if (word === undefined || word.startsWith('-') || known.includes(word)) return;
  const near = nearest(word, known);
  throw wrongUsage(
    `there is no command ${word}${near === undefined ? '' : `; did you mean ${near}?`} (agenthub --help shows what there is)`,
  );
}

function namesOf(command: Command): string[] {
  return command.commands.map((each) => each.name());
}

// commander would take the word after a bare --wait as its value.
export function withPlainWait(argv: readonly string[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => (word === '--wait' && index < end ? '--wait=' : word));
}

type Ending = { code: ExitCode; line?: string; leavesOpen?: true };

/** How a command ends, by what it threw. What is nobody's mistake but ours is thrown on. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  if (error instanceof CommandError) return { code: error.exitCode, line: `agenthub: ${oneLine(error.message)}\n` };
  if (error instanceof StartError)
    return {
      code: error instanceof ConfigError ? EXIT.usage : EXIT.failed,
      line: `agenthub: ${error.message}\n`,
      leavesOpen: true,
    };
  throw error;
}

function isExpected(error: unknown): boolean {
  return error instanceof CommanderError || error instanceof CommandError || error instanceof StartError;
}

// Not left to Node, which would print it as it is: the words of an error may quote what a server sent.
function endingOfBug(error: unknown): Ending {
  return { code: EXIT.failed, line: `${error instanceof Error ? error.stack : String(error)}\n`, leavesOpen: true };
}

function endAfter(error: unknown): void {
  const { code, line, leavesOpen } = isExpected(error) ? endingOf(error) : endingOfBug(error);
  if (line !== undefined) complain(line);
  if (leavesOpen) process.exit(code);
  process.exitCode = code;
}
