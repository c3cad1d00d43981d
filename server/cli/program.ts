// The command line: which command an argv means. Printing help or the version touches nothing.
import { Command } from 'commander';
import { flagOf, KEYS, readConfig, variableOf } from '../config.ts';
import { StartError } from '../domain/errors.ts';
import { VERSION } from '../version.ts';

export async function runCommand(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(argv);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`agenthub: ${error.message}\n`);
    process.exit(1);
  }
}

function program(): Command {
  const program = new Command('agenthub')
    .description('A coordination hub for software agents: tasks, messages and live events over MCP, REST and a web console.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError('(agenthub --help shows what there is)');
  program.addCommand(serveCommand(), { isDefault: true });
  return program;
}

function serveCommand(): Command {
  const command = new Command('serve').description('run the hub (the default command)').allowExcessArguments(false);
  for (const [key, { about, placeholder, fallback }] of Object.entries(KEYS)) {
    command.option(`${flagOf(key)} <${placeholder}>`, `${about} (default: ${fallback}; ${variableOf(key)})`);
  }
  return command.addHelpText('after', EXAMPLES).action(async (options: Record<string, string>) => {
    // Loaded only here: --help and --version need no database, and the library behind it.
    const { serve } = await import('./serve.ts');
    await serve(readConfig({ flags: snakeCased(options), env: process.env }));
  });
}

// commander hands out --offline-after-seconds as offlineAfterSeconds.
function snakeCased(options: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]));
}

const EXAMPLES = `
Examples:
  agenthub                          listen on 127.0.0.1:4747, data in ./agenthub-data
  agenthub --port 8080 --data /var/lib/agenthub
  agenthub serve --host 0.0.0.0     for a team; prints the setup token of the first registration`;
