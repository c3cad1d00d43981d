// The hub on trial as a separate process, with its output and exit code.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST } from '../../build/step.ts';

export type Command = { file: string; args: readonly string[] };
export type Ending = { code: number | null; signal: NodeJS.Signals | null };

export type Process = {
  pid: number;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ending>;
  kill(signal: NodeJS.Signals): Promise<Ending>;
};

export type Hub = Process & { url: string; port: number; data: string };

const START_MS = 20_000;
/** Halves the startup time from source: unchanged code is not compiled again. */
const COMPILED = join(DIST, 'compiled');

export function run({ file, args }: Command, more: readonly string[] = []): Process {
  const child = spawn(file, [...args, ...more], {
    cwd: tmpdir(),
    env: { ...ownEnvironment(), NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = endOf(child);
  return { ...listenTo(child), pid: child.pid ?? 0, ended, kill: (signal) => (child.kill(signal), ended) };
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(AGENTHUB_|NODE_OPTIONS$|VITEST)/.test(name)),
  );
}

function listenTo(child: ChildProcess): Pick<Process, 'stdout' | 'stderr'> {
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (said.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said.stderr += chunk));
  return { stdout: () => said.stdout, stderr: () => said.stderr };
}

function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', reject);
  });
}

export function serveArguments(data: string, more: readonly string[] = []): string[] {
  return ['serve', '--port', '0', '--data', data, ...more];
}

/** Resolves once the hub prints its address. */
export async function startHub(command: Command, data: string, args: readonly string[] = []): Promise<Hub> {
  const started = run(command, serveArguments(data, args));
  const url = await listeningAt(started);
  if (url === undefined) {
    await started.kill('SIGKILL');
    throw new Error(`the hub did not start: ${started.stderr().trim() || started.stdout().trim() || 'no output'}`);
  }
  return { ...started, url, port: Number(new URL(url).port), data };
}

/** Undefined when it exited, or printed nothing in time. */
export async function listeningAt(started: Process): Promise<string | undefined> {
  let isOver = false;
  void started.ended.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  const urlSaid = (): string | undefined => /"url":"([^"]+)","mcp":/.exec(started.stdout())?.[1];
  await until(() => isOver || urlSaid() !== undefined, START_MS, 2).catch(() => {});
  return urlSaid();
}

/** Resolves when the condition holds. Checks again every few milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs: number, stepMs = 20): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`condition not met within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}
