// Runs the command line as a real process with a separate home directory, and captures its output and exit code.
import { onTestFailed, onTestFinished } from 'vitest';
import { COMPILED, type Ending, type Process, startProcess } from '../../../scripts/support/process.ts';
import type { Account } from '../http/rest-client.ts';
import { dateEnvironment, programOf, type Target } from './hub-process.ts';
import { type RunningHub, temporaryDirectory } from './running-hub.ts';

const TIMEOUT_MS = 20_000;

export type Environment = Readonly<Record<string, string>>;

/** A separate home directory and the environment variables of a user. */
export type Cli = { target: Target; home: string; env: Environment };

export type AgentCli = Cli & { account: Account };

export type Ended = Ending & { stdout: string; stderr: string };

export type Running = {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves once standard error contains `words` this many times. */
  printed(words: string, times?: number): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
};

type Given = { input?: string; cwd?: string; env?: Environment };

/** Not signed in. */
export function newCli(target: Target, env: Environment = {}): Cli {
  const home = temporaryDirectory();
  return {
    target,
    home,
    env: { ...dateEnvironment(), HOME: home, PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED, ...env },
  };
}

/** A command line whose environment names the hub and the network token of the account. */
export function cliFor(hub: RunningHub, target: Target, account: Account): AgentCli {
  return { ...newCli(target, { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: account.networkToken }), account };
}

/** Runs a command to its end. */
export function run(cli: Cli, args: readonly string[], given: Given = {}): Promise<Ended> {
  return start(cli, args, given).ended;
}

/** Runs a command that must succeed, and returns its standard output. */
export async function outputOf(cli: Cli, args: readonly string[], given: Given = {}): Promise<string> {
  const { code, stdout, stderr } = await run(cli, args, given);
  if (code !== 0) throw new Error(`agenthub ${args.join(' ')} exited with ${code}:\n${stderr}`);
  return stdout;
}

export function start(cli: Cli, args: readonly string[], { input, cwd = cli.home, env }: Given = {}): Running {
  const [file, first] = programOf(cli.target);
  const started = startProcess(
    { file, args: [...first, ...args] },
    { cwd, env: { ...cli.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const { stdin } = started.child;
  stdin?.on('error', () => {}); // a command may exit before it reads all input
  stdin?.end(input ?? '');
  const { pid, stdout, stderr } = started;
  const ended = started.ended.then((ending) => ({ ...ending, stdout: stdout(), stderr: stderr() }));
  onTestFinished(async () => void (await started.kill('SIGKILL')));
  onTestFailed(() => void process.stderr.write(`agenthub ${args.join(' ')} printed:\n${started.output()}\n`));
  return {
    pid,
    stdout,
    stderr,
    printed: (words, times = 1) =>
      untilPrinted(started, () => stderr().split(words).length > times, `"${words}" ${times} times`),
    signal: (signal) => void started.child.kill(signal),
    ended,
  };
}

function untilPrinted({ child }: Process, isPrinted: () => boolean, what: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const listen = (): void => void (isPrinted() && resolve());
  const timer = setTimeout(() => reject(new Error(`the command did not print ${what}`)), TIMEOUT_MS);
  child.stderr?.on('data', listen);
  child.once('close', () => reject(new Error(`the command exited before it printed ${what}`)));
  listen();
  return promise.finally(() => clearTimeout(timer));
}
