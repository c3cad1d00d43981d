// The program as a separate process, from source or as the built executable, with all its output.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The targets the stories run on. */
export const TARGETS = ['source', 'binary'] as const;
export type Target = (typeof TARGETS)[number];

export type Launch = {
  target: Target;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Runs as this user and group. Requires root. */
  uid?: number;
  /** The limit on open files. */
  files?: number;
};

export type Ending = { code: number | null; signal: NodeJS.Signals | null };

export type HubProcess = {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Both, in order of arrival. */
  output(): string;
  ended: Promise<Ending>;
};

const SOURCE = fileURLToPath(new URL('../../../server/main.ts', import.meta.url));
/** `npm run release -- --check` runs the stories on another executable, inside a jail. */
const { STORIES_EXECUTABLE, STORIES_JAIL } = process.env;
const BINARY = STORIES_EXECUTABLE ?? fileURLToPath(new URL('../../../dist/agenthub', import.meta.url));
/** Halves the startup time from source: code unchanged since the last run is not compiled again. */
const COMPILED = fileURLToPath(new URL('../../../dist/compiled', import.meta.url));
const NODE_FLAGS = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];

export function isBuilt(target: Target): boolean {
  return target === 'source' || existsSync(BINARY);
}

/** Runs in a directory outside of the repository, as for a user. */
export function launch({ target, args = [], env = {}, uid, files }: Launch): HubProcess {
  const [file, first] = limited(uid === undefined ? programOf(target) : unjailed(target), files);
  const child = spawn(file, [...first, ...args], {
    cwd: tmpdir(),
    env: { ...ownEnvironment(), NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  return { child, ...listenTo(child), ended: endOf(child) };
}

function limited([file, first]: ReturnType<typeof programOf>, files: number | undefined): ReturnType<typeof programOf> {
  return files === undefined ? [file, first] : ['sh', ['-c', `ulimit -n ${files}; exec "$0" "$@"`, file, ...first]];
}

/** The file to run, and the arguments before those of the caller. */
export function programOf(target: Target): [file: string, first: readonly string[]] {
  return target === 'binary' && STORIES_JAIL !== undefined ? [STORIES_JAIL, [tmpdir(), BINARY]] : unjailed(target);
}

function unjailed(target: Target): [file: string, first: readonly string[]] {
  return target === 'binary' ? [BINARY, []] : [process.execPath, [...NODE_FLAGS, SOURCE]];
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(AGENTHUB_|NODE_OPTIONS$|VITEST)/.test(name)),
  );
}

/** The variables that set the date and the time zone of a program with its own environment (see scripts/dates.ts). */
export function dateEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      /^(TZ|LD_PRELOAD)$|FAKE/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

function listenTo(child: ChildProcess): Pick<HubProcess, 'stdout' | 'stderr' | 'output'> {
  const said = { stdout: '', stderr: '', both: '' };
  const hear = (stream: 'stdout' | 'stderr') => (chunk: string) => {
    said[stream] += chunk;
    said.both += chunk;
  };
  child.stdout?.setEncoding('utf8').on('data', hear('stdout'));
  child.stderr?.setEncoding('utf8').on('data', hear('stderr'));
  return { stdout: () => said.stdout, stderr: () => said.stderr, output: () => said.both };
}

/** `close` and not `exit`: by then all output has been read. */
function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', reject);
  });
}
