// A user without HOME and without an entry in /etc/passwd, as in a container: commands that need a directory of the user
// say what to set.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ANY_TARGET, programOf, runsAsRoot } from '../support/process/hub-process.ts';

const NOBODY = 54_321;

describe.skipIf(!runsAsRoot)('a user without a home directory', () => {
  test.each([
    ['paths'],
    ['login', '--hub', 'http://127.0.0.1:1', '--username', 'ada', '--password-stdin'],
    ['connect', 'claude'],
  ])('%s', (...args) => {
    const [file, first] = programOf(ANY_TARGET);
    const { status, stderr } = spawnSync(file, [...first, ...args], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: { PATH: process.env.PATH },
      input: 'a password',
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'agenthub: this user has no home directory: set HOME or XDG_CONFIG_HOME\n',
    });
  });
});
