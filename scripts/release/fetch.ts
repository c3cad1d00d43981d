// Fetches the npm packages of other targets with npm, and accepts them only if they match the checksum in
// package-lock.json.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { DIST, ROOT } from '../../build/step.ts';

const run = promisify(execFile);
const KEPT = join(DIST, 'packages');

const lock = v.object({
  packages: v.record(v.string(), v.object({ version: v.optional(v.string()), integrity: v.optional(v.string()) })),
});
const packed = v.tuple([v.object({ filename: v.string() })]);

/** Returns the directory of the package, relative to the repository root. Fetches each package only once. */
export async function fetchPackage(name: string): Promise<string> {
  const { version, integrity } = locked(name);
  const directory = join(KEPT, `${name.replace('/', '-')}-${version}`);
  if (!existsSync(directory)) await unpack(await download(`${name}@${version}`, integrity), directory);
  return directory.slice(ROOT.length);
}

function locked(name: string): { version: string; integrity: string } {
  const { packages } = v.parse(lock, JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const { version, integrity } = packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json does not contain ${name}`);
  return { version, integrity };
}

async function download(wanted: string, integrity: string): Promise<string> {
  mkdirSync(KEPT, { recursive: true });
  const { stdout } = await run('npm', ['pack', wanted, '--json', '--silent', '--pack-destination', KEPT], {
    cwd: ROOT,
  });
  const [{ filename }] = v.parse(packed, JSON.parse(stdout));
  const file = join(KEPT, filename);
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (found === integrity) return file;
  rmSync(file);
  throw new Error(`${wanted} does not match package-lock.json: ${found} instead of ${integrity}`);
}

async function unpack(file: string, directory: string): Promise<void> {
  mkdirSync(`${directory}.new`, { recursive: true });
  await run('tar', ['-xzf', file, '-C', `${directory}.new`, '--strip-components=1']);
  await run('mv', [`${directory}.new`, directory]);
  rmSync(file);
}
