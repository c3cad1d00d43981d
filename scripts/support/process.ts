// Child processes, with their output and exit: the hub, and other programs that tests, trials and benchmarks run.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST } from '../../build/step.ts';

export type Command = { file: string; args: readonly string[] };

export type Ending = { code: number | null; signal: NodeJS.Signals | null };

export type Process = {
  child: ChildProcess;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Both, in order of arrival. */
  output(): string;
  /** Resolves when it has exited and all its output has been read. */
  ended: Promise<Ending>;
  /** Sends the signal and waits for the exit. */
  kill(signal: NodeJS.Signals): Promise<Ending>;
};

/** Halves the startup time from source: code unchanged since the last run is not compiled again. */
export const COMPILED = join(DIST, 'compiled');

/** Runs in a directory outside of the repository, as for a user, unless the options name another. */
export function startProcess({ file, args }: Command, options: SpawnOptions = {}): Process {
  const child = spawn(file, args, {
    cwd: tmpdir(),
    env: ownEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const ended = endOf(child);
  return {
    child,
    pid: child.pid ?? 0,
    ...outputOf(child),
    ended,
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The environment without variables that configure a hub or Node. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(AGENTHUB_|NODE_OPTIONS$|VITEST)/.test(name));
  return { ...Object.fromEntries(own), NODE_COMPILE_CACHE: COMPILED };
}

/**
 * Resolves to the first group of `pattern` in standard output. Rejects if the process exits before it prints it or does
 * not print it in time.
 */
export function printed(started: Process, pattern: RegExp, withinMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = (): void => {
    const found = pattern.exec(started.stdout())?.[1];
    if (found !== undefined) resolve(found);
  };
  const fail = (what: string): void =>
    reject(new Error(`${started.child.spawnfile} ${what}; it printed:\n${started.output().trim() || 'nothing'}`));
  const timer = setTimeout(() => fail(`was not ready within ${withinMs} ms`), withinMs);
  started.child.stdout?.on('data', look);
  started.ended.then(({ code, signal }) => fail(`exited with ${signal ?? code}`), reject);
  look();
  return promise.finally(() => {
    clearTimeout(timer);
    started.child.stdout?.off('data', look);
  });
}

function outputOf(child: ChildProcess): Pick<Process, 'stdout' | 'stderr' | 'output'> {
  const texts = { stdout: '', stderr: '', both: '' };
  const keep = (stream: 'stdout' | 'stderr') => (chunk: string) => {
    texts[stream] += chunk;
    texts.both += chunk;
  };
  child.stdout?.setEncoding('utf8').on('data', keep('stdout'));
  child.stderr?.setEncoding('utf8').on('data', keep('stderr'));
  return { stdout: () => texts.stdout, stderr: () => texts.stderr, output: () => texts.both };
}

/** `close` and not `exit`: by then all output has been read. */
function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', reject);
  });
}
