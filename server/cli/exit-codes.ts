// How a command ends: the codes a script may rely on, as `agenthub --help` prints them, and the error that carries one.

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  denied: 4,
  unsuccessful: 5,
  unsettled: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.failed, 'refused or failed; also a `wait` whose time was up, and a hub that could not start'],
  [EXIT.usage, 'wrong usage or a wrong configuration; nothing was done'],
  [EXIT.unreachable, 'the hub could not be reached'],
  [EXIT.denied, 'not signed in, or not allowed to'],
  [EXIT.unsuccessful, 'the task did not succeed: failed, cancelled or expired'],
  [EXIT.unsettled, 'the task was not settled in the time that `send --wait` gave it'],
];

export function exitCodeTable(): string {
  return EXIT_MEANINGS.map(([code, meaning]) => `  ${code}  ${meaning}`).join('\n');
}

const REFUSALS: Readonly<Record<string, ExitCode>> = {
  invalid_request: EXIT.usage,
  invalid_arguments: EXIT.usage,
  permission_denied: EXIT.denied,
};

/** For what a hub refuses by this word. */
export function refusalCode(word: string): ExitCode {
  return REFUSALS[word] ?? EXIT.failed;
}

/** What ends a command early: one line that says what is wrong and what to do, and the code to end with. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const wrongUsage = (message: string) => new CommandError(message, EXIT.usage);
export const notSignedIn = (message: string) => new CommandError(message, EXIT.denied);
