// Signs the checksums with an SSH key, which everyone can verify with OpenSSH 8.1 or newer.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE } from './make.ts';

export const CHECKSUMS = 'SHA256SUMS';
const SIGNATURE = `${CHECKSUMS}.sig`;
/** Keeps a signature from being used for another kind of file. */
const NAMESPACE = 'agenthub-release';

/** `key` is a private key, or a public key whose private key the SSH agent holds. */
export function sign(key: string, directory = RELEASE): void {
  rmSync(join(directory, SIGNATURE), { force: true });
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', NAMESPACE, CHECKSUMS], {
    cwd: directory,
    stdio: 'inherit',
  });
}

export function isSigned(): boolean {
  return existsSync(join(RELEASE, SIGNATURE));
}

/** Whether the signature is one of the checksums, by whatever key. Users also compare the key; see OPERATING.md. */
export function verifies(): boolean {
  const args = ['-Y', 'check-novalidate', '-n', NAMESPACE, '-s', SIGNATURE];
  return (
    spawnSync('ssh-keygen', args, { cwd: RELEASE, input: readFileSync(join(RELEASE, CHECKSUMS)) }).status === 0 &&
    spawnSync('ssh-keygen', args, { cwd: RELEASE, input: 'other checksums' }).status !== 0
  );
}
