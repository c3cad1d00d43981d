// How a command ends: its exit code and the message for an error.
import { CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { StartError } from '../domain/errors.ts';
import { oneLine } from '../domain/text/terminal-text.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { type Failure, printError } from './output.ts';

// In `agenthub tasks | head -1`, the reader closes the pipe early.
export function exitOnClosedOutput(): void {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(
      `agenthub: cannot write to standard output (${'code' in error ? String(error.code) : error.message})\n`,
    );
    process.exit(EXIT.failed);
  });
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
export function endAfter(error: unknown, isOfHook: boolean): void {
  const { code: usual, failure, leavesOpen } = isExpected(error) ? endingOf(error) : endingOfBug(error);
  const code = isOfHook && usual === EXIT.usage ? EXIT.failed : usual;
  if (failure !== undefined) printError({ ...failure, exit_code: code });
  if (leavesOpen) process.exit(code);
  process.exitCode = code;
}
