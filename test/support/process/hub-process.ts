// The program as a separate process, from source or as the built executable.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ownEnvironment, type Process, startProcess } from '../../../scripts/support/process.ts';

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
  /** The soft limit on open files. */
  softFiles?: number;
};

const SOURCE = fileURLToPath(new URL('../../../server/main.ts', import.meta.url));
/** `npm run release -- --check` runs the stories on another executable, inside a jail. */
const { STORIES_EXECUTABLE, STORIES_JAIL } = process.env;

/** Whether hubs run as root unless a test chooses another user. Those in the jail of a release never do. */
export const runsAsRoot = process.getuid?.() === 0 && STORIES_JAIL === undefined;
/** Whether hubs run as another user, where little can be written and no limit of theirs can be changed. */
export const isJailed = STORIES_JAIL !== undefined;
const BINARY = STORIES_EXECUTABLE ?? fileURLToPath(new URL('../../../dist/agenthub', import.meta.url));
const NODE_FLAGS = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];

export function isBuilt(target: Target): boolean {
  return target === 'source' || existsSync(BINARY);
}

/** Where both prove the same: the executable, which starts in a third of the time, or source without it. */
export const ANY_TARGET: Target = isBuilt('binary') ? 'binary' : 'source';

export function launch({ target, args = [], env = {}, uid, files, softFiles }: Launch): Process {
  const limits = [
    ...(files === undefined ? [] : [`-n ${files}`]),
    ...(softFiles === undefined ? [] : [`-S -n ${softFiles}`]),
  ];
  const [file, first] = limited(uid === undefined ? programOf(target) : unjailed(target), limits);
  return startProcess(
    { file, args: [...first, ...args] },
    { env: { ...ownEnvironment(), ...env }, ...(uid !== undefined && { uid, gid: uid }) },
  );
}

function limited([file, first]: ReturnType<typeof programOf>, limits: readonly string[]): ReturnType<typeof programOf> {
  const set = limits.map((limit) => `ulimit ${limit}; `).join('');
  return set === '' ? [file, first] : ['sh', ['-c', `${set}exec "$0" "$@"`, file, ...first]];
}

/** The file to run, and the arguments before those of the caller. */
export function programOf(target: Target): [file: string, first: readonly string[]] {
  return target === 'binary' && STORIES_JAIL !== undefined ? [STORIES_JAIL, [tmpdir(), BINARY]] : unjailed(target);
}

function unjailed(target: Target): [file: string, first: readonly string[]] {
  return target === 'binary' ? [BINARY, []] : [process.execPath, [...NODE_FLAGS, SOURCE]];
}

/** The variables that set the date and the time zone of a program with its own environment (see scripts/dates.ts). */
export function dateEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      /^(TZ|LD_PRELOAD)$|FAKE/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}
