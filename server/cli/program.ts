// The command line: which command an argv means. Printing help, the version or a completion script touches nothing.
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { StartError } from '../domain/errors.ts';
import { nearest } from '../domain/nearest.ts';
import { VERSION } from '../version.ts';
import { CLIENT_COMMANDS } from './client-commands.ts';
import { commandFor, helpAfter } from './command.ts';
import { COPY_DATABASE } from './copy-command.ts';
import { CommandError, EXIT, exitCodeTable, wrongUsage } from './exit-codes.ts';
import { OPERATOR_COMMANDS } from './operator-commands.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  endWithItsReader();
  try {
    if (argv[2] === COPY_DATABASE) return await copyForHub(argv.slice(3));
    const commandLine = program();
    assertKnown(commandLine, argv[2]);
    await commandLine.parseAsync(withPlainWait(argv));
  } catch (error) {
    endAfter(error);
  }
}

// As with `agenthub tasks | head -1`: nobody is left to write for.
function endWithItsReader(): void {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(`agenthub: cannot write to standard output (${'code' in error ? String(error.code) : error.message})\n`);
    process.exit(EXIT.failed);
  });
}

// What a hub has done in a process of its own is no command for people: neither help nor completion knows of it.
async function copyForHub([from = '', to = '']: readonly string[]): Promise<void> {
  const { copyDatabase } = await import('../store/copy.ts');
  process.umask(0o077);
  await copyDatabase(from, to);
}

function program(): Command {
  const program = new Command('agenthub')
    .description('A coordination hub for software agents: tasks, messages and live events over MCP, REST and a web console.')
    .version(VERSION, '-V, --version');
  for (const [group, entries] of [...Object.entries(OPERATOR_COMMANDS), ...Object.entries(CLIENT_COMMANDS)]) {
    entries.forEach((entry) => program.addCommand(commandFor(entry).helpGroup(group), { isDefault: entry.name === 'serve' }));
  }
  complainInOneLine(program);
  return program.addHelpText('after', helpAfter(EXAMPLES, `Exit codes:\n${exitCodeTable()}`));
}

const EXAMPLES = [
  'agenthub                                         run a hub here',
  'agenthub login                                   then, in another terminal, sign in to it',
  'agenthub work --alias counter -- wc -w           be an agent that counts words',
  'agenthub send --wait counter "how many words"    give it a task and print the result',
];

function complainInOneLine(command: Command, ...words: string[]): void {
  const usage = ['agenthub', ...words, '--help'].join(' ');
  command.exitOverride().configureOutput({
    outputError: (text, write) => write(`agenthub: ${text.replace(/^error: /, '').trim().replace(/\s+/g, ' ')} (${usage} shows how)\n`),
  });
  command.commands.forEach((each) => complainInOneLine(each, ...words, each.name()));
}

// Without this a mistyped command would be an argument too many of the default one.
function assertKnown(commandLine: Command, word: string | undefined): void {
  const known = [...commandLine.commands.map((command) => command.name()), 'help'];
  if (word === undefined || word.startsWith('-') || known.includes(word)) return;
  const near = nearest(word, known);
  throw wrongUsage(`there is no command ${word}${near === undefined ? '' : `; did you mean ${near}?`} (agenthub --help shows what there is)`);
}

// commander would take the word after a bare --wait as its value.
export function withPlainWait(argv: readonly string[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => (word === '--wait' && index < end ? '--wait=' : word));
}

function endAfter(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else if (error instanceof StartError) {
    process.stderr.write(`agenthub: ${error.message}\n`);
    process.exit(error instanceof ConfigError ? EXIT.usage : EXIT.failed);
  } else if (error instanceof CommandError) {
    process.stderr.write(`agenthub: ${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    throw error;
  }
}
