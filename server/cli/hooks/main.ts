// The program that the executable runs as a hook: clients start one at every prompt and turn, and loading all commands
// would delay it. From source, server/main.ts runs hooks too.
import '../no-inspector.ts';
import { commandOf, newCommand, reportInOneLine } from '../command.ts';
import { endAfter, exitOnClosedOutput } from '../ending.ts';
import { EXIT } from '../exit-codes.ts';
import { printError } from '../output.ts';
import { HOOK_COMMANDS } from './commands.ts';

async function runHook(argv: readonly string[]): Promise<void> {
  exitOnClosedOutput();
  const program = newCommand('agenthub', '');
  for (const row of HOOK_COMMANDS) program.addCommand(commandOf(row));
  reportInOneLine(program, (message) => printError({ error: 'invalid_usage', message, exit_code: EXIT.usage }));
  try {
    await program.parseAsync(argv);
  } catch (error) {
    endAfter(error, true);
  }
}

void runHook(process.argv);
