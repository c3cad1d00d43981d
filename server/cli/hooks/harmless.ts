// Errors of commands that run as hooks. Clients take exit code 2 as an order to stop the agent or to wake it, and would
// obey it at every event.
import { CommandError, EXIT } from '../exit-codes.ts';

/** The same error, with an exit code that clients only report. */
export function harmless(error: unknown): unknown {
  return error instanceof CommandError && error.exitCode === EXIT.usage ? new CommandError(error.message) : error;
}
