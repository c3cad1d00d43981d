// The command line: which command an argv means. Printing help, the version or a completion script touches nothing.
import { Command, CommanderError } from 'commander';
import { flagOf, KEYS, variableOf, type Key } from '../config/keys.ts';
import { ConfigError, readDataDirectory, readEffective } from '../config.ts';
import { StartError } from '../domain/errors.ts';
import { VERSION } from '../version.ts';
import { CLIENT_COMMANDS } from './client-commands.ts';
import { commandOf, helpAfter } from './command.ts';
import { CommandError, EXIT, exitCodeTable, wrongUsage } from './exit-codes.ts';
import { nearest } from '../domain/nearest.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  try {
    const commandLine = program();
    assertKnown(commandLine, argv[2]);
    await commandLine.parseAsync(withPlainWait(argv));
  } catch (error) {
    endAfter(error);
  }
}

function program(): Command {
  const program = new Command('agenthub')
    .description('A coordination hub for software agents: tasks, messages and live events over MCP, REST and a web console.')
    .version(VERSION, '-V, --version');
  program.addCommand(serveCommand().helpGroup('Run a hub:'), { isDefault: true });
  program.addCommand(networkCommand().helpGroup('Run a hub:'));
  for (const [group, commands] of Object.entries(CLIENT_COMMANDS)) {
    commands.forEach((command) => program.addCommand(commandOf(command).helpGroup(group)));
  }
  [program, ...program.commands].forEach(complainInOneLine);
  return program.addHelpText('after', helpAfter(EXAMPLES, `Exit codes:\n${exitCodeTable()}`));
}

function serveCommand(): Command {
  const command = new Command('serve').description('run the hub (the default command)').allowExcessArguments(false);
  for (const [key, { about, placeholder, fallback, alias }] of Object.entries<Key>(KEYS)) {
    const flags = alias === undefined ? flagOf(key) : `${alias}, ${flagOf(key)}`;
    command.option(`${flags} <${placeholder}>`, `${about} (default: ${fallback || 'none'}; ${variableOf(key)})`);
  }
  return command.addHelpText('after', helpAfter(SERVE_EXAMPLES)).action(async (options: Record<string, string>) => {
    // Loaded only here: --help and --version need no database, and the library behind it.
    const { serve } = await import('./serve.ts');
    await serve(readEffective({ flags: snakeCased(options), env: process.env }));
  });
}

function networkCommand(): Command {
  const network = new Command('network').description('look after networks, while the hub is not running');
  network
    .command('license <network>')
    .description("lift a network's trial, or set its end")
    .requiredOption('--until <date>', 'a date such as 2027-01-31, or never')
    .option('--data <directory>', `${KEYS.data.about} (default: ${KEYS.data.fallback}; ${variableOf('data')})`)
    .addHelpText('after', helpAfter(['agenthub network license net_… --until never']))
    .action(async (id: string, { until, ...flags }: { until: string; data?: string }) => {
      const { licenseNetwork } = await import('./license-network.ts');
      await licenseNetwork(id, until, readDataDirectory({ flags, env: process.env }));
    });
  return network.addHelpText('after', helpAfter(['agenthub network license net_… --until 2027-01-31']));
}

// commander hands out --offline-after-seconds as offlineAfterSeconds.
function snakeCased(options: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]));
}

const SERVE_EXAMPLES = [
  'agenthub                          listen on 127.0.0.1:4747, data in ./agenthub-data',
  'agenthub --port 8080 --data /var/lib/agenthub',
  'agenthub serve --host 0.0.0.0     for a team; prints the setup token of the first registration',
];

const EXAMPLES = [
  'agenthub                                         run a hub here',
  'agenthub login                                   then, in another terminal, sign in to it',
  'agenthub work --alias counter -- wc -w           be an agent that counts words',
  'agenthub send --wait counter "how many words"    give it a task and print the result',
];

function complainInOneLine(command: Command): void {
  const usage = command.parent === null ? 'agenthub --help' : `agenthub ${command.name()} --help`;
  command.exitOverride().configureOutput({
    outputError: (text, write) => write(`agenthub: ${text.replace(/^error: /, '').trim().replace(/\s+/g, ' ')} (${usage} shows how)\n`),
  });
}

// Without this a mistyped command would be an argument too many of the default one.
function assertKnown(commandLine: Command, word: string | undefined): void {
  const known = [...commandLine.commands.map((command) => command.name()), 'help'];
  if (word === undefined || word.startsWith('-') || known.includes(word)) return;
  const near = nearest(word, known);
  throw wrongUsage(`there is no command ${word}${near === undefined ? '' : `; did you mean ${near}?`} (agenthub --help shows what there is)`);
}

// commander would take the word after a bare --wait as its value.
function withPlainWait(argv: readonly string[]): string[] {
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
