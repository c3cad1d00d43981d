// Every command that talks to a hub selects it, its token and its network with the same options.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../../server/cli/client/commands.ts';
import { rowsOf } from '../../../server/cli/commands.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';

const ROWS = Object.values(CLIENT_COMMANDS).flat().flatMap(rowsOf);
const OPTIONS = ['--hub', '--data', '--network', '--token-file', '--token'];

/** The commands without these options: why each needs none. */
const WITHOUT_HUB: Readonly<Record<string, string>> = {
  'context list': 'reads the file with the credentials',
  'context use': 'changes the file with the credentials',
  'context remove': 'its parameter names the context',
  version: 'is about this program',
  licenses: 'is about this program',
  completion: 'is about this program',
  man: 'is about this program',
};

test.each(ROWS.map(({ words, options = [] }) => [words, options] as const))('%s', (words, options) => {
  const own = options.map(({ long }) => long);
  const expected = Object.hasOwn(WITHOUT_HUB, words) ? [] : OPTIONS;
  expect(OPTIONS.filter((option) => own.includes(option))).toEqual(expected);
});

test('each exception exists', () => {
  const words = ROWS.map((row) => row.words);
  expect(Object.keys(WITHOUT_HUB).filter((each) => !words.includes(each))).toEqual([]);
});

test('login takes a user token instead of a password, and logging out does not revoke it', async () => {
  const { hub, userToken, networkToken } = await hubOfAda({ target: ANY_TARGET });
  const cli = newCli(ANY_TARGET);
  const credentials = join(cli.home, '.config/agenthub/credentials.json');
  const file = join(cli.home, 'token');
  writeFileSync(file, `${userToken}\n`);
  const signedIn = `signed in to ${hub.url} as ada, in the network ada\n`;
  expect(await outputOf(cli, ['login', '--hub', hub.url, '--context', 'work', '--token-file', file])).toBe(signedIn);
  expect(await outputOf(cli, ['whoami'])).toMatch(/^context +work$/m);
  expect(await outputOf(cli, ['status'])).toBe('no agent has reported yet\n');
  expect(await outputOf(cli, ['login', '--hub', 'work', '--token', userToken])).toBe(signedIn);
  expect(Object.keys(JSON.parse(readFileSync(credentials, 'utf8')).contexts)).toEqual(['work']);
  await outputOf(cli, ['logout']);
  expect(existsSync(credentials)).toBe(false);
  expect((await restClient(hub.url, userToken).get('/api/auth/me')).status).toBe(200);

  const wrong: readonly [words: string[], code: number, line: string][] = [
    [['--token', networkToken], 2, 'login needs a user token (utok_…)'],
    [['--token', userToken, '--username', 'ada'], 2, 'cannot be used with option'],
    [['--token', `utok_${'x'.repeat(40)}`], 4, 'the token is unknown'],
    [['--hub', hub.url], 2, 'give the address of the hub once'],
  ];
  for (const [words, code, line] of wrong)
    expect
      .soft(await run(cli, ['login', hub.url, ...words]), words.join(' '))
      .toMatchObject({ code, stderr: expect.stringContaining(line) });
  expect(existsSync(credentials)).toBe(false);
});
