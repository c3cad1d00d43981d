// Loads the libSQL addon of the executable from a directory where the system allows it. The build replaces the addon
// lookup of `libsql` with `loadAddon`; when running from source, this file is not used.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { StartError } from '../domain/errors.ts';
import { readAsset } from './assets.ts';
import { loadNamed, loadNameless } from './library.ts';

const load = process.platform === 'linux' ? loadNameless : loadNamed;

let loaded: unknown;

/**
 * The addon's exports. `libsql` and `libsql/promise` must share one copy: two copies of SQLite in one process would
 * drop each other's file locks. Throws a StartError that lists the directories tried and a remedy.
 */
export function loadAddon(): unknown {
  return (loaded ??= loadFromAsset());
}

function loadFromAsset(): unknown {
  const addon = readAsset('libsql.node');
  if (!addon) throw new Error('the executable was built without its database engine');
  const data = dataDirectory(process.argv);
  const failures: string[] = [];
  for (const directory of [...temporaryDirectories(), data]) {
    try {
      if (directory === data) mkdirSync(data, { recursive: true, mode: 0o700 });
      return load(directory, addon);
    } catch (error) {
      failures.push(`${directory}: ${reasonOf(error)}`);
    }
  }
  throw new StartError(unloadable(failures));
}

// Must match config.ts, which is not available yet because its importers need this addon.
function dataDirectory(argv: readonly string[]): string {
  if (argv.includes('--ephemeral')) return tmpdir();
  const index = argv.findIndex((word) => word === '--data' || word.startsWith('--data='));
  const given = index < 0 ? undefined : argv[index]?.slice('--data='.length) || argv[index + 1];
  return given || process.env['AGENTHUB_DATA'] || 'agenthub-data';
}

/**
 * Several, because any of them may be read-only or mounted noexec, such as /dev/shm in a container. Without TMPDIR,
 * memory comes before disk: loading takes 6 ms instead of up to 20.
 */
function temporaryDirectories(): string[] {
  const { TMPDIR, XDG_RUNTIME_DIR } = process.env;
  const memory = process.platform === 'linux' ? ['/dev/shm'] : [];
  const ordered = TMPDIR ? [TMPDIR, ...memory] : [...memory, tmpdir()];
  return XDG_RUNTIME_DIR ? [...ordered, XDG_RUNTIME_DIR] : ordered;
}

/** The system's error message, without the code and the temporary path, which the line already contains. */
function reasonOf(error: unknown): string {
  const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
  return reason.replace(/^([A-Z]+|\/proc\/self\/fd\/\d+): /, '').replace(/, \w+ '.*$/, '');
}

function unloadable(failures: string[]): string {
  return (
    `cannot load the database engine from any directory (${failures.join('; ')}): ` +
    'set TMPDIR to a writable directory on a file system that is not mounted noexec'
  );
}
