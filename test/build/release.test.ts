// A user verifies a download with the commands of OPERATING.md, and notices a changed file and another key.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compressed, debianVersion } from '../../scripts/release/debian.ts';
import { CHECKSUMS, sign } from '../../scripts/release/sign.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';
import { readmeBlock } from '../support/readme.ts';

const ARCHIVE = 'agenthub-0.0.0-linux-x64.tar.gz';

/** A directory with an archive, its checksums, their signature and the accepted keys. */
function download(): string {
  const directory = temporaryDirectory();
  const inside = (name: string, content: string, mode = 0o644): void =>
    writeFileSync(join(directory, name), content, { mode });
  inside('agenthub', '#!/bin/sh\necho "agenthub  0.0.0"\n', 0o755);
  execFileSync('tar', ['-czf', ARCHIVE, 'agenthub'], { cwd: directory });
  const digest = createHash('sha256')
    .update(readFileSync(join(directory, ARCHIVE)))
    .digest('hex');
  inside(CHECKSUMS, `${digest}  ${ARCHIVE}\n${digest}  another-file\n`);
  inside('allowed_signers', `release@agenthub ${newKey(directory, 'key')}`);
  sign(join(directory, 'key'), directory);
  return directory;
}

/** Creates a key and returns its public part. */
function newKey(directory: string, name: string): string {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, name)]);
  return readFileSync(join(directory, `${name}.pub`), 'utf8');
}

function verify(directory: string): { status: number | null; stdout: string } {
  return spawnSync('bash', ['-ec', readmeBlock('Verify a download', 'sh')], { cwd: directory, encoding: 'utf8' });
}

describe('the commands that verify a download', () => {
  test('accept the files of the maintainers', () => {
    const { status, stdout } = verify(download());
    expect(status).toBe(0);
    expect(stdout).toMatch(/Good "agenthub-release" signature for release@agenthub/);
    expect(stdout).toMatch(/agenthub {2}0\.0\.0$/m);
  });

  test('refuse a changed archive', () => {
    const directory = download();
    appendFileSync(join(directory, ARCHIVE), 'more');
    expect(verify(directory).status).not.toBe(0);
  });

  test('refuse changed checksums', () => {
    const directory = download();
    appendFileSync(join(directory, CHECKSUMS), '\n');
    expect(verify(directory).status).not.toBe(0);
  });

  test('refuse the signature of another key', () => {
    const directory = download();
    newKey(directory, 'other');
    sign(join(directory, 'other'), directory);
    expect(verify(directory).status).not.toBe(0);
  });
});

test('the changelog of the Debian package is compressed to the same bytes at any time', () => {
  const packed = compressed('# Changelog\n');
  expect(packed.readUInt32LE(4)).toBe(0); // the date in the header
  expect(gunzipSync(packed).toString()).toBe('# Changelog\n');
});

test('Debian sorts a prerelease before its release', () => {
  const isLess = spawnSync('dpkg', ['--compare-versions', debianVersion('1.2.3-rc.1'), 'lt', debianVersion('1.2.3')]);
  if (isLess.error === undefined) expect(isLess.status).toBe(0);
  expect(debianVersion('1.2.3')).toBe('1.2.3');
});
