// The exit codes that scripts may rely on, their meanings for `agenthub --help`, and the error that carries one.

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  denied: 4,
  unsuccessful: 5,
  timedOut: 6,
  databaseFailed: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.ok, 'success'],
  [EXIT.failed, 'refused or failed; also a hub that could not start'],
  [
    EXIT.usage,
    'invalid usage or configuration; nothing was done. Also a hub that got a second signal while it stopped',
  ],
  [EXIT.unreachable, 'the hub is unreachable'],
  [EXIT.denied, 'not signed in, or permission denied'],
  [EXIT.unsuccessful, 'the task did not succeed: failed, cancelled or expired'],
  [EXIT.timedOut, '`wait` or `send --wait` timed out'],
  [EXIT.databaseFailed, 'the database failed while the hub was running'],
];

const REFUSALS: Readonly<Record<string, ExitCode>> = {
  invalid_request: EXIT.usage,
  invalid_arguments: EXIT.usage,
  permission_denied: EXIT.denied,
};

/** Returns the exit code for an error code of a hub. */
export function refusalCode(errorCode: string): ExitCode {
  return REFUSALS[errorCode] ?? EXIT.failed;
}

/** The error code in JSON if no hub gave one. */
const ERRORS: Readonly<Record<ExitCode, string>> = {
  [EXIT.ok]: 'ok',
  [EXIT.failed]: 'failed',
  [EXIT.usage]: 'invalid_usage',
  [EXIT.unreachable]: 'unreachable',
  [EXIT.denied]: 'denied',
  [EXIT.unsuccessful]: 'task_unsuccessful',
  [EXIT.timedOut]: 'timed_out',
  [EXIT.databaseFailed]: 'database_failed',
};

/** Ends a command early: one line that says what is wrong and what to do, the exit code, and the code of the error. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly error: string;
  constructor(message: string, exitCode: ExitCode = EXIT.failed, error = ERRORS[exitCode]) {
    super(message);
    this.exitCode = exitCode;
    this.error = error;
  }
}

export const wrongUsage = (message: string) => new CommandError(message, EXIT.usage);
export const notSignedIn = (message: string) => new CommandError(message, EXIT.denied);
