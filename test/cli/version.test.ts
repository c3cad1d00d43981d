// `agenthub version --check FILE` compares the version and the schema of two executables.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orderOf } from '../../server/domain/text/version-order.ts';
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { VERSION } from '../../server/version.ts';
import { newCli, outputOf, run } from '../support/process/command-line.ts';
import { ANY_TARGET } from '../support/process/hub-process.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';

test.each([
  ['1.2.4', '1.2.3', 'newer'],
  ['1.10.0', '1.9.9', 'newer'],
  ['2.0.0', '10.0.0', 'older'],
  ['1.2.3', '1.2.3', 'same'],
  ['1.2.3', '1.2.3-rc.1', 'newer'],
  ['1.2.3-rc.2', '1.2.3-rc.10', 'older'],
  ['1.2.3-alpha', '1.2.3-alpha.1', 'older'],
  ['1.2.3-1', '1.2.3-rc', 'older'],
  ['1.2.3+build.2', '1.2.3+build.1', 'same'],
] as const)('%s compared with %s is %s', (version, than, order) => {
  expect(orderOf(version, than)).toBe(order);
});

/** A program that prints these versions, as another release would. */
function released(version: string, schema: number): string {
  return executable(`#!/bin/sh\necho '${JSON.stringify({ version, schema })}'\n`);
}

function executable(content: string, mode = 0o755): string {
  const file = join(temporaryDirectory(), 'other');
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

// In a chroot without /proc, for example while a package is installed, the database engine cannot be loaded.
test.skipIf(process.platform !== 'linux')('prints the version without loading the database engine', async () => {
  const { code, stdout, stderr } = await run(newCli(ANY_TARGET), ['version'], { env: { LD_DEBUG: 'files' } });
  expect([code, stdout]).toEqual([0, expect.stringContaining(VERSION)]);
  expect(stderr).toContain('libc.so'); // the loader reports
  expect(stderr).not.toContain('dynamically loaded');
});

describe('version --check', () => {
  test('says that a file is newer, and that its first start upgrades the database', async () => {
    const cli = newCli(ANY_TARGET);
    const file = released('999.0.0', SCHEMA_VERSION + 1);
    expect(await outputOf(cli, ['version', '--check', file])).toBe(
      `${file} is version 999.0.0, newer than this program, ${VERSION}\n` +
        `its first start upgrades a database from schema ${SCHEMA_VERSION} to ${SCHEMA_VERSION + 1}, and keeps a copy for a return to this version\n`,
    );
    expect(JSON.parse(await outputOf(cli, ['version', '--check', file, '-o', 'json']))).toMatchObject({
      order: 'newer',
      version: '999.0.0',
      present: { version: VERSION, schema: SCHEMA_VERSION },
    });
  });

  test('says that an older file refuses the database', async () => {
    const shown = await outputOf(newCli(ANY_TARGET), ['version', '--check', released('0.0.1', SCHEMA_VERSION - 1)]);
    expect(shown).toMatch(/is version 0\.0\.1, older than this program/);
    expect(shown).toMatch(/refuses a database of this program/);
  });

  test('recognizes the same version', async () => {
    const shown = await outputOf(newCli(ANY_TARGET), ['version', '--check', released(VERSION, SCHEMA_VERSION)]);
    expect(shown).toMatch(/is the same version as this program/);
    expect(shown).toMatch(/either can open the database of the other/);
  });

  test.each([
    ['is a package', () => '/tmp/agenthub_1.0.0_amd64.deb', /is a package; unpack it/],
    ['is missing', () => '/nowhere/agenthub', /there is no such file/],
    ['is not executable', () => executable('', 0o644), /it is not executable; run chmod \+x on it/],
    ['prints something else', () => executable('#!/bin/sh\necho hello\n'), /is not an agenthub that can be compared/],
    ['fails', () => executable('#!/bin/sh\nexit 3\n'), /is not an agenthub that can be compared/],
  ])('reports a file that %s', async (_, make, problem) => {
    const { code, stdout, stderr } = await run(newCli(ANY_TARGET), ['version', '--check', make()]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(problem) });
  });

  test('gives the other program no environment', async () => {
    const shown = executable('#!/bin/sh\n[ -z "$AGENTHUB_TOKEN" ] && echo \'{"version":"1.0.0","schema":1}\'\n');
    const { code } = await run(newCli(ANY_TARGET), ['version', '--check', shown], {
      env: { AGENTHUB_TOKEN: 'ntok_secret' },
    });
    expect(code).toBe(0);
  });
});
