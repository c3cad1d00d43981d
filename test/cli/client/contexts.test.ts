// Contexts and the options that select a hub: which hub, token and network a command uses.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { type Cli, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { type HubOfAda, hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const storedAt = (cli: Cli): string => join(cli.home, '.config', 'agenthub', 'credentials.json');

const signIn = (cli: Cli, url: string, more: readonly string[] = []): Promise<string> =>
  outputOf(cli, ['login', url, '--username', 'ada', '--password-stdin', ...more], { input: PASSWORD });

const urlInUse = async (cli: Cli, more: readonly string[] = [], env = {}): Promise<unknown> =>
  JSON.parse(await outputOf(cli, ['whoami', '-o', 'json', ...more], { env })).url;

const contextsIn = async (cli: Cli): Promise<unknown> =>
  JSON.parse(await outputOf(cli, ['context', 'list', '-o', 'json'])).contexts;

const NO_TASKS = 'there are no tasks yet\n';

const nameOf = (url: string): string => new URL(url).host;

storyOnce('contexts', (target) => {
  test('commands use the context in use, or the one that an option or a variable names', async () => {
    const [production, staging] = await Promise.all([hubOfAda({ target }), hubOfAda({ target })]);
    const [one, two] = [production.hub.url, staging.hub.url];
    const cli = newCli(target);
    expect(await outputOf(cli, ['context', 'list'])).toBe('no contexts; agenthub login creates one\n');
    await signIn(cli, one);
    await signIn(cli, two, ['--context', 'staging']);
    const network = (each: HubOfAda) => ({ username: 'ada', network_id: each.networkId });
    expect(await contextsIn(cli)).toEqual([
      { name: nameOf(one), current: false, url: one, ...network(production) },
      { name: 'staging', current: true, url: two, ...network(staging) },
    ]);
    expect(await outputOf(cli, ['context', 'list'])).toMatch(/^\* +staging +http/m);

    expect(await urlInUse(cli)).toBe(two);
    expect(await urlInUse(cli, ['--hub', nameOf(one)])).toBe(one);
    expect(await urlInUse(cli, ['--hub', `${one}/`])).toBe(one);
    expect(await urlInUse(cli, [], { AGENTHUB_CONTEXT: nameOf(one) })).toBe(one);
    expect(await urlInUse(cli, ['--hub', 'staging'], { AGENTHUB_URL: one, AGENTHUB_TOKEN: 'ntok_x' })).toBe(two);

    expect(await outputOf(cli, ['context', 'use', nameOf(one)])).toBe(`using ${nameOf(one)}: ${one} as ada\n`);
    expect(await urlInUse(cli)).toBe(one);
    await outputOf(cli, ['send', 'builder', 'x', '--hub', 'staging']);
    expect(await outputOf(cli, ['tasks'])).toBe(NO_TASKS);
    expect(await outputOf(cli, ['tasks', '--hub', 'staging'])).toContain('builder');

    for (const words of [
      ['context', 'use', 'other'],
      ['context', 'remove', 'other'],
      ['status', '--hub', 'other'],
    ])
      expect(await run(cli, words)).toMatchObject({
        code: 4,
        stderr: `agenthub: there is no context other; the contexts are ${nameOf(one)}, staging. An address begins with http:// or https://\n`,
      });
  });

  test('removing a context revokes its tokens; a single one left is then in use', async () => {
    const [production, staging] = await Promise.all([hubOfAda({ target }), hubOfAda({ target })]);
    const cli = newCli(target);
    await signIn(cli, production.hub.url);
    await signIn(cli, staging.hub.url, ['--context', 'staging']);
    const tokens = [...readFileSync(storedAt(cli), 'utf8').matchAll(/[nu]tok_\w+/g)].map(([token]) => token);
    expect(tokens).toHaveLength(4);

    expect(await outputOf(cli, ['context', 'remove', 'staging'])).toContain(
      `signed out of ${staging.hub.url}; removed`,
    );
    expect(await urlInUse(cli)).toBe(production.hub.url);
    expect(await outputOf(cli, ['logout'])).toContain(`signed out of ${production.hub.url}; removed`);
    expect(existsSync(storedAt(cli))).toBe(false);
    const live = async ({ hub, userToken }: HubOfAda) =>
      listOf((await restClient(hub.url, userToken).get('/api/tokens')).body, 'tokens').filter(({ name }) =>
        String(name).startsWith('agenthub login'),
      );
    expect([await live(production), await live(staging)]).toEqual([[], []]);
  });

  test('--data finds the hub on a data directory, whatever its port is', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const cli = newCli(target, { AGENTHUB_TOKEN: networkToken });
    expect(await urlInUse(cli, ['--data', hub.data])).toBe(hub.url);
    expect(await urlInUse(cli, [], { AGENTHUB_DATA: hub.data })).toBe(hub.url);

    const other = newCli(target);
    const login = ['login', '--data', hub.data, '--username', 'ada', '--password-stdin'];
    expect(await outputOf(other, login, { input: PASSWORD })).toContain(`signed in to ${hub.url} as ada`);
    await hub.stop();
    expect(await run(cli, ['status', '--data', hub.data])).toMatchObject({
      code: 3,
      stderr: `agenthub: no hub is running on ${hub.data}; start it first\n`,
    });
  });

  test('--network works in another network; an agent gets a token for it', async () => {
    const { hub, userToken, networkId } = await hubOfAda({ target });
    const { body } = await restClient(hub.url, userToken).post('/api/networks', { name: 'second' });
    const second = textOf(body, 'network_id');
    const cli = newCli(target);
    await signIn(cli, hub.url);
    await outputOf(cli, ['send', 'builder', 'in the second', '--network', 'second']);
    expect(await outputOf(cli, ['tasks'])).toBe(NO_TASKS);
    expect(await outputOf(cli, ['tasks', '--network', second])).toContain('in the second');
    for (let time = 0; time < 2; time++)
      expect(await outputOf(cli, ['inbox', '--alias', 'builder', '--network', 'second'])).toContain('in the second');
    expect(Object.keys(JSON.parse(readFileSync(storedAt(cli), 'utf8')).contexts[nameOf(hub.url)].networks)).toEqual([
      networkId,
      second,
    ]);

    expect(await run(cli, ['tasks', '--network', 'third'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: you are not a member of network third; your networks: .*second/),
    });
    const [token = ''] = /ntok_\w+/.exec(readFileSync(storedAt(cli), 'utf8')) ?? [];
    expect(await run(cli, ['tasks', '--network', 'second', '--token', token])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a network token works in its own network only'),
    });
  });
});

describe('the options for the hub', () => {
  test('a token can be given, and is preferred to the environment and the context', async () => {
    const { hub, networkToken, userToken } = await hubOfAda({ target: ANY_TARGET });
    const eve = await register(hub.url, 'eve');
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: eve.networkToken });
    await outputOf(cli, ['send', 'builder', 'for ada', '--token', networkToken]);
    expect(await outputOf(cli, ['tasks'])).toBe(NO_TASKS);
    writeFileSync(join(cli.home, 'token'), `${networkToken}\n`);
    expect(await outputOf(cli, ['tasks', '--token-file', 'token'])).toContain('for ada');
    expect(await outputOf(cli, ['whoami', '--token', userToken])).toMatch(/^user +ada$/m);

    const refused: readonly [words: readonly string[], code: number, line: string][] = [
      [['--token', 'secret'], 4, '--token is not a token: it must begin with ntok_ or utok_'],
      [['--token-file', 'none'], 4, '--token-file names none, which does not exist'],
      [['--token', 'ntok_x', '--token-file', 'token'], 2, "option '--token <token>' cannot be used with"],
      [['--hub', hub.url, '--data', hub.data], 2, "cannot be used with option '--hub <hub>'"],
    ];
    for (const [words, code, line] of refused)
      expect(await run(cli, ['tasks', ...words])).toMatchObject({ code, stderr: expect.stringContaining(line) });
  });

  test('a token of the environment is not sent to another hub than that of the environment', async () => {
    const [one, other] = await Promise.all([hubOfAda({ target: ANY_TARGET }), hubOfAda({ target: ANY_TARGET })]);
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: one.hub.url, AGENTHUB_TOKEN: one.networkToken });
    expect(await outputOf(cli, ['tasks'])).toBe(NO_TASKS);
    expect(await run(cli, ['tasks', '--hub', other.hub.url])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`not signed in to ${other.hub.url}`),
    });
  });

  test('two contexts of one hub must be told apart by name', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET);
    await signIn(cli, hub.url, ['--context', 'first']);
    await signIn(cli, hub.url, ['--context', 'second']);
    expect(await urlInUse(cli, ['--hub', hub.url])).toBe(hub.url);
    await outputOf(cli, ['login', hub.url, '--username', 'ada', '--password-stdin', '--context', 'third'], {
      input: PASSWORD,
    });
    await outputOf(cli, ['context', 'remove', 'third']);
    expect(await run(cli, ['tasks', '--hub', hub.url])).toMatchObject({
      code: 2,
      stderr: `agenthub: the contexts first and second are for ${hub.url}; name one of them with --hub\n`,
    });
    expect(await outputOf(cli, ['tasks', '--hub', 'first'])).toBe(NO_TASKS);
  });

  test('a file of an earlier version is named, and the next login replaces it', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET);
    mkdirSync(dirname(storedAt(cli)), { recursive: true });
    const earlier = { url: hub.url, username: 'ada', user_token: 'utok_x', network_token: 'ntok_x' };
    writeFileSync(storedAt(cli), JSON.stringify(earlier), { mode: 0o600 });
    for (const words of [['status'], ['context', 'list'], ['logout']])
      expect(await run(cli, words)).toMatchObject({
        code: 4,
        stderr: `agenthub: ${storedAt(cli)} is damaged or from an earlier version; run agenthub login to replace it\n`,
      });
    await signIn(cli, hub.url);
    expect(await urlInUse(cli)).toBe(hub.url);
  });

  test('without a context and a hub, the usual address is tried', async () => {
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: temporaryDirectory() });
    expect(await run(cli, ['whoami'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('not signed in to http://127.0.0.1:4747'),
    });
  });
});
