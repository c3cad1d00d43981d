// The command line as its users meet it: a real process in a home of its own, with what it was given, what it said and
// how it ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFailed, onTestFinished } from 'vitest';
import { type Account, register } from '../support/http/rest-client.ts';
import { dateEnvironment, programOf, type Target } from '../support/process/hub-process.ts';
import { type RunningHub, temporaryDirectory } from '../support/process/running-hub.ts';

const COMPILED = fileURLToPath(new URL('../../dist/compiled', import.meta.url));
const PATIENCE_MS = 20_000;

export type Environment = Readonly<Record<string, string>>;

/** A person's machine: a home directory, and what stands in the environment. */
export type Desk = { target: Target; home: string; env: Environment };

export type AgentDesk = Desk & { account: Account };

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type Running = {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves once standard error has it so many times. */
  says(words: string, times?: number): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
};

type Given = { input?: string; cwd?: string; env?: Environment };

/** Nobody is signed in. */
export function newDesk(target: Target, env: Environment = {}): Desk {
  const home = temporaryDirectory();
  return {
    target,
    home,
    env: { ...dateEnvironment(), HOME: home, PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED, ...env },
  };
}

/** A desk whose environment names the hub and a network token of a new account there. */
export async function deskAt(hub: RunningHub, target: Target): Promise<AgentDesk> {
  return deskOf(hub, target, await register(hub.url));
}

export function deskOf(hub: RunningHub, target: Target, account: Account): AgentDesk {
  return { ...newDesk(target, { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: account.networkToken }), account };
}

/** Runs a command to its end. */
export function run(desk: Desk, args: readonly string[], given: Given = {}): Promise<Ended> {
  return start(desk, args, given).ended;
}

/** Runs a command that is to succeed, and answers what it said. */
export async function say(desk: Desk, args: readonly string[], given: Given = {}): Promise<string> {
  const { code, stdout, stderr } = await run(desk, args, given);
  if (code !== 0) throw new Error(`agenthub ${args.join(' ')} ended with ${code}:\n${stderr}`);
  return stdout;
}

export function start(desk: Desk, args: readonly string[], { input, cwd = desk.home, env }: Given = {}): Running {
  const [file, first] = programOf(desk.target);
  const child = spawn(file, [...first, ...args], {
    cwd,
    env: { ...desk.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // a refusal comes before all is read
  child.stdin.end(input ?? '');
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = endOf(child, said);
  onTestFinished(() => (child.kill('SIGKILL'), ended.then(() => {})));
  onTestFailed(() => void process.stderr.write(`agenthub ${args.join(' ')} said:\n${said.stdout}${said.stderr}\n`));
  return {
    pid: child.pid ?? 0,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    says: (words, times = 1) =>
      heard(child, () => said.stderr.split(words).length > times, `"${words}" ${times} times`),
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

function endOf(child: ChildProcess, said: { stdout: string; stderr: string }): Promise<Ended> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, ...said })));
}

function heard(child: ChildProcess, isHeard: () => boolean, what: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const listen = (): void => void (isHeard() && resolve());
  const timer = setTimeout(() => reject(new Error(`it did not say ${what}`)), PATIENCE_MS);
  child.stderr?.on('data', listen);
  child.once('close', () => reject(new Error(`it ended before it said ${what}`)));
  listen();
  return promise.finally(() => clearTimeout(timer));
}
