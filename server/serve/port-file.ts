// Writes the bound port to a file, for scripts that start a hub on a free port. The file exists only while the hub
// serves requests, so waiting for it is waiting for the hub.
import { accessSync, chmodSync, constants, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../domain/errors.ts';

export type PortFile = { write(port: number): void; remove(): void };

const NO_FILE: PortFile = { write: () => {}, remove: () => {} };

/** Throws a StartError if the file cannot be created. Changes nothing. */
export function assertPortFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isFile() === false) throw new Error('it is not a file');
    if (there !== undefined && !isPort(file, there.size)) throw new Error('it has other content than a port');
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** Protects the file that a mistyped option names. */
function isPort(file: string, bytes: number): boolean {
  return bytes <= MAX_BYTES && /^\d*\s*$/.test(readFileSync(file, 'utf8'));
}

const MAX_BYTES = 16;

/** Removes the file of a hub that was killed. Call it only once no other hub can be running. */
export function openPortFile(file: string | undefined): PortFile {
  if (file === undefined) return NO_FILE;
  removeStale(file);
  let written = '';
  return {
    write: (port) => {
      written = `${port}\n`;
      const draft = `${file}.${process.pid}.tmp`;
      try {
        writeFileSync(draft, written);
        chmodSync(draft, 0o644); // the umask of the hub makes files private; the port is no secret
        renameSync(draft, file); // a reader never sees an empty file
      } catch (error) {
        rmSync(draft, { force: true });
        throw cannotWrite(file, error);
      }
    },
    remove: () => {
      if (contentOf(file) === written) rmSync(file, { force: true });
    },
  };
}

function removeStale(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function cannotWrite(file: string, error: unknown): StartError {
  const reason = error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error);
  return new StartError(`cannot write port_file ${file}: ${reason}; choose another with --port-file`);
}
