// Every command that opens a PostgreSQL database says in one line why it cannot, and never prints the password.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { newCli, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

const COMMANDS: [words: string[]][] = [
  [['serve', '--port', '0']],
  [['export']],
  [['import', 'hub.jsonl']],
  [['cluster']],
  [['cluster', 'drain', 'any']],
];

async function runOn(database: string, words: readonly string[]) {
  const data = join(temporaryDirectory(), 'data');
  const cli = newCli(ANY_TARGET, { AGENTHUB_DATABASE: database, AGENTHUB_DATA: data });
  writeFileSync(join(cli.home, 'hub.jsonl'), '');
  const ended = await run(cli, words);
  expect(`${ended.stdout}${ended.stderr}`).not.toContain('secret');
  return ended;
}

test.each(COMMANDS)('%j says that nothing listens there', async (words) => {
  const server = `127.0.0.1:${await freePort()}`;
  expect(await runOn(`postgres://hub:secret@${server}/hub?sslmode=require`, words)).toMatchObject({
    code: 1,
    stderr: `agenthub: cannot use the database hub at ${server}: nothing listens there; start PostgreSQL, or correct the URL\n`,
  });
});

test.each([...COMMANDS, [['doctor']]])('%j says what is wrong with a parameter', async (words) => {
  const { code, stdout, stderr } = await runOn('postgres://hub:secret@db.example.org/hub?sslmode=foo', words);
  expect(code).not.toBe(0);
  expect(`${stdout}${stderr}`).toContain(
    'AGENTHUB_DATABASE is (hidden) but must be a URL whose sslmode is one of disable, prefer, require, verify-ca, verify-full, no-verify',
  );
  expect(stderr.split('\n').length).toBeLessThan(3);
});
