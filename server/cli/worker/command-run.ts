// Runs the worker's command for one task, in a separate process group, so that stopping it stops all its children.
import { spawn } from 'node:child_process';
import { KEYS, type Key, variableOf } from '../../config/keys.ts';
import { collectOutput, type TaskOutput } from './command-output.ts';
import type { Assignment } from './mail.ts';

export type Ending = { code: number | null; signal: NodeJS.Signals | null; error?: Error };

export type TaskRun = {
  output: TaskOutput;
  ended: Promise<Ending>;
  /** Sends SIGTERM to the group, and SIGKILL after the grace period. */
  stop(): void;
};

export type CommandLine = {
  command: readonly string[];
  /** The time between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Whether the command inherits the token and can act in the network like the worker. */
  passesToken: boolean;
  /** The worker's token. */
  token: string;
};

export function startCommand(
  { command: [file = '', ...args], graceMs, ...secret }: CommandLine,
  task: Assignment,
): TaskRun {
  const child = spawn(file, args, {
    detached: true,
    stdio: 'pipe',
    env: { ...inherited(secret), ...environmentOf(task) },
  });
  const output = collectOutput();
  child.stdout.on('data', (bytes: Buffer) => output.take('stdout', bytes));
  child.stderr.on('data', (bytes: Buffer) => output.take('stderr', bytes));
  child.stdin.on('error', () => {}); // a command need not read its input
  child.stdin.end(task.content);

  let hasEnded = false;
  let force: NodeJS.Timeout | undefined;
  const killGroup = (signal: NodeJS.Signals): void => endGroup(child.pid, signal);
  const stop = (): void => {
    if (hasEnded) return;
    killGroup('SIGTERM');
    // Do not wait for a process that left the group and still holds a stream.
    force ??= setTimeout(() => {
      killGroup('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    }, graceMs);
  };
  const killNow = (): void => killGroup('SIGKILL');
  process.once('exit', killNow);
  // A task ends with its command; remaining background processes are stopped.
  child.once('exit', stop);

  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  }).finally(() => {
    hasEnded = true;
    clearTimeout(force);
    process.off('exit', killNow);
    output.finish();
  });
  return { output, ended, stop };
}

// ESRCH means that the group has already ended.
function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

const TOKEN = ['AGENTHUB_TOKEN', 'AGENTHUB_TOKEN_FILE'];
const SECRETS = Object.entries<Key>(KEYS).flatMap(([name, { isSecret }]) =>
  isSecret ? [variableOf(name), `${variableOf(name)}_FILE`] : [],
);

// Another agent wrote the task, so the command must not find secrets in its environment that it could send elsewhere.
// Other variables may also contain the token, such as HUB_TOKEN from the README.
function inherited({ passesToken, token }: Pick<CommandLine, 'passesToken' | 'token'>): NodeJS.ProcessEnv {
  const hidden = new Set(passesToken ? SECRETS : [...SECRETS, ...TOKEN]);
  const isHidden = (name: string, value = ''): boolean => hidden.has(name) || (!passesToken && value.includes(token));
  return Object.fromEntries(Object.entries(process.env).filter(([name, value]) => !isHidden(name, value)));
}

function environmentOf({ task_id, from_session, priority, context, attempt }: Assignment): Record<string, string> {
  return {
    AGENTHUB_TASK_ID: task_id,
    AGENTHUB_TASK_FROM: from_session,
    AGENTHUB_TASK_PRIORITY: priority,
    AGENTHUB_TASK_CONTEXT: context ?? '',
    AGENTHUB_TASK_ATTEMPT: String(attempt),
  };
}
