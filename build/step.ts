// A build step runs if its inputs have changed since it last succeeded, or if an output is missing. The inputs of the
// last run are stored as a hash in dist/, over contents and not times, so that touching a file changes nothing.
import { createHash, type Hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const DIST = join(ROOT, 'dist');

/** `run` returns a short summary of its output. */
export type Step = {
  name: string;
  /** Paths relative to the repository root, like `makes`. */
  reads: string[];
  /** Another input than files. */
  given?: () => string;
  makes: string[];
  run(): Promise<string>;
};

/** Returns whether the step ran. */
export async function bringUpToDate(step: Step): Promise<boolean> {
  const now = fingerprint(step);
  if (now === lastFingerprint(step) && step.makes.every((path) => existsSync(join(ROOT, path)))) return false;
  const started = performance.now();
  mkdirSync(DIST, { recursive: true });
  const summary = await step.run();
  writeFileSync(stampOf(step), now);
  report(step.name, summary, performance.now() - started);
  return true;
}

function fingerprint({ reads, given = () => '' }: Step): string {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch} ${given()}`);
  for (const path of reads) take(hash, path);
  return hash.digest('hex');
}

function take(hash: Hash, path: string): void {
  const full = join(ROOT, path);
  if (statSync(full).isDirectory())
    return readdirSync(full)
      .sort()
      .forEach((name) => take(hash, join(path, name)));
  const content = readFileSync(full);
  hash.update(`${path} ${content.length}\n`).update(content);
}

function lastFingerprint(step: Step): string | undefined {
  return existsSync(stampOf(step)) ? readFileSync(stampOf(step), 'utf8') : undefined;
}

function stampOf({ name }: Step): string {
  return join(DIST, `.${name}`);
}

/** Writes to stderr, because `npm start` also builds, and its standard output belongs to the program. */
function report(name: string, summary: string, tookMs: number): void {
  process.stderr.write(`${name.padEnd(8)} ${summary.padEnd(32)} ${(tookMs / 1000).toFixed(1).padStart(5)} s\n`);
}
