// Help texts, and the handling of mistyped commands.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FIRST_WORDS, ROWS, WITH_SHORT_FORM } from '../../server/cli/commands.ts';
import { exampleLines, helpColumns } from '../../server/cli/help.ts';
import { nearest } from '../../server/domain/text/nearest.ts';
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { VERSION } from '../../server/version.ts';
import { newCli, outputOf, run } from '../support/process/command-line.ts';
import { ANY_TARGET } from '../support/process/hub-process.ts';
import { hasTerminal, startOnTerminal } from '../support/process/terminal.ts';

const FAMILIES = [...new Set(ROWS.flatMap(({ family }) => family?.name ?? []))];
const COMMANDS = [...ROWS.map(({ words }) => words), ...WITH_SHORT_FORM.flatMap(({ short }) => short ?? [])];

/** The only commands that are not named by a noun and a verb: why each needs no noun. */
const WITHOUT_NOUN: Readonly<Record<string, string>> = {
  serve: 'the hub itself is the object',
  paths: 'lists the files of everything',
  healthcheck: 'the hub itself is the object',
  doctor: 'the hub and its machine are the object',
  backup: 'the whole database is the object',
  restore: 'the whole database is the object',
  export: 'the whole database is the object',
  import: 'the whole database is the object',
  prune: 'the whole database is the object',
  login: 'the counterpart of logout; the context is created on the way',
  connect: 'the client to connect is its parameter',
  hook: 'clients call it; connect writes it into their files',
  wake: 'clients call it; connect writes it into their files',
  version: 'this program is the object',
  licenses: 'this program is the object',
  completion: 'this program is the object',
  man: 'this program is the object',
};
const NOUNS = [
  ...[
    'agent',
    'alerts',
    'audit',
    'cluster',
    'config',
    'context',
    'event',
    'message',
    'network',
    'systemd',
    'task',
    'token',
  ],
  'user',
];
/** `log`, `members` and `invites` show a part of their noun, and `status` its state. */
const VERBS = [
  ...[
    'broadcast',
    'cancel',
    'check',
    'create',
    'delete',
    'disable',
    'drain',
    'enable',
    'forget',
    'invite',
    'invites',
    'license',
    'list',
  ],
  ...[
    'log',
    'members',
    'print',
    'reassign',
    'remove',
    'remove-member',
    'rename',
    'reply',
    'reset-password',
    'resync',
    'retry',
    'revoke',
    'rotate',
  ],
  ...['send', 'set-role', 'show', 'status', 'transfer', 'use', 'wait', 'watch', 'withdraw-invite', 'work'],
];

describe('names', () => {
  test.each(ROWS.map(({ words }) => words))('%s is a noun and a verb, or a stated exception', (words) => {
    if (Object.hasOwn(WITHOUT_NOUN, words)) return;
    expect(words.split(' ')).toEqual([expect.toBeOneOf(NOUNS), expect.toBeOneOf(VERBS)]);
  });

  test('each noun, verb and exception is used', () => {
    const words = ROWS.map((row) => row.words);
    expect(Object.keys(WITHOUT_NOUN).toSorted()).toEqual(words.filter((each) => !each.includes(' ')).toSorted());
    expect([...NOUNS, ...VERBS].toSorted()).toEqual(
      [
        ...[...new Set(ROWS.flatMap(({ family }) => (family ? [family.name] : [])))],
        ...[...new Set(ROWS.flatMap(({ family, name }) => (family ? [name] : [])))],
      ].toSorted(),
    );
  });

  test('each word names one command, and each short form is declared with its command', () => {
    expect(FIRST_WORDS.toSorted()).toEqual([...new Set(FIRST_WORDS)].toSorted());
    expect(new Set(ROWS.map(({ words }) => words)).size).toBe(ROWS.length);
    const short = ROWS.flatMap((row) => (row.short === undefined ? [] : [[row.short, row.words]]));
    expect(Object.fromEntries(short)).toEqual({
      cluster: 'cluster list',
      logout: 'context remove',
      whoami: 'context show',
      status: 'agent status',
      wait: 'agent wait',
      work: 'agent work',
      watch: 'event watch',
      message: 'message send',
      broadcast: 'message broadcast',
      inbox: 'message list',
      tasks: 'task list',
      task: 'task show',
      send: 'task send',
      reply: 'task reply',
      cancel: 'task cancel',
      retry: 'task retry',
      reassign: 'task reassign',
    });
  });
});

describe('help', () => {
  test.each(COMMANDS)('%s --help has an example and no side effects', async (name) => {
    const cli = newCli(ANY_TARGET);
    const { code, stdout, stderr } = await run(cli, [...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: agenthub ${name}`));
    expect(stdout).toMatch(/\nExamples:\n {2}.*agenthub/);
    expect(readdirSync(cli.home)).toEqual([]);
  });

  test('the program lists every command and every exit code', async () => {
    const help = await outputOf(newCli(ANY_TARGET), ['--help']);
    for (const name of ROWS.map(({ family, name }) => family?.name ?? name))
      expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    for (const code of [0, 1, 2, 3, 4, 5, 6, 70]) expect(help).toMatch(new RegExp(`^ {2,3}${code} {2}\\S`, 'm'));
  });

  test.each(WITH_SHORT_FORM)(
    'the program and its family list $words with its short form',
    async ({ words, short, family }) => {
      const listed = new RegExp(`^ {2}${words}\\b[^]*?\\(short: ${short}\\)`, 'm');
      expect(await helpOf('')).toMatch(listed);
      expect(await helpOf(family?.name ?? '')).toMatch(listed);
      expect(await helpOf(words)).toContain(`\nShort form: agenthub ${short}\n`);
      expect(await helpOf(short ?? '')).toContain(`\nShort for agenthub ${words}.\n`);
    },
  );

  test.each(['', ...COMMANDS, ...FAMILIES])('agenthub %s --help fits into 80 columns', async (words) => {
    expect((await helpOf(words)).split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test.each([
    [undefined, 80],
    [40, 60],
    [72, 72],
    [200, 100],
  ])('on a terminal of %s columns it has %s', (terminal, columns) => expect(helpColumns(terminal)).toBe(columns));

  test.skipIf(!hasTerminal).each([100, 60])('on a terminal of %i columns it uses its width', async (COLUMNS) => {
    const { ended, screen } = startOnTerminal(newCli(ANY_TARGET), ['serve', '--help'], { COLUMNS: String(COLUMNS) });
    expect(await ended).toBe(0);
    const longest = Math.max(
      ...screen()
        .split('\r\n')
        .map((line) => line.length),
    );
    expect(longest).toBeLessThanOrEqual(COLUMNS);
    expect(longest).toBeGreaterThan(COLUMNS - 10);
  });

  test('breaks an example where a shell continues it', () => {
    expect(exampleLines(`agenthub x --one 1 -o json | jq -r '.a --b' && echo "a | b" --two 2`, 30)).toEqual([
      '  agenthub x --one 1 -o json |',
      "      jq -r '.a --b' &&",
      '      echo "a | b" --two 2',
    ]);
  });

  test('version prints the version for scripts', async () => {
    const cli = newCli(ANY_TARGET);
    expect(await outputOf(cli, ['--version'])).toBe(`${VERSION}\n`);
    expect(JSON.parse(await outputOf(cli, ['version', '-o', 'json']))).toEqual({
      ok: true,
      version: VERSION,
      schema: SCHEMA_VERSION,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    });
    expect(await outputOf(cli, ['version'])).toContain(`agenthub  ${VERSION}`);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await outputOf(cli, ['completion', shell])).toContain('agenthub');
    expect(readdirSync(cli.home), 'versions and completions have no side effects').toEqual([]);
  });
});

const helpOf = (words: string): Promise<string> =>
  outputOf(newCli(ANY_TARGET), [...words.split(' ').filter((word) => word !== ''), '--help']);

// wrong-usage.test.ts covers every command; these tests run real processes.
describe('invalid usage prints one line, exits with code 2, and does nothing', () => {
  const WRONG: readonly [args: string[], line: string][] = [
    [['sned', 'builder', 'x'], 'unknown command sned; did you mean send?'],
    [['taks'], 'unknown command taks; did you mean task'],
    [['task', 'sned', 'builder'], 'unknown command task sned; did you mean task send? (see agenthub task --help)'],
    [['task'], "missing required argument 'id' (see agenthub task show --help)"],
    [['agent'], 'agent requires a subcommand: list, forget, status, wait, work (see agenthub agent --help)'],
    [['zzz'], 'unknown command zzz (see agenthub --help'],
    [['send', 'builder'], "missing required argument 'text' (see agenthub send --help)"],
    [
      ['send', '--ttl', '0', 'a', 'b'],
      "'--ttl <seconds>' argument '0' is invalid. It must be a whole number from 1 to 86400.",
    ],
    [['send', '--wait=soon', 'a', 'b'], 'It must be a whole number from 1 to 86400.'],
    [['send', '--priority', 'urgent', 'a', 'b'], 'Allowed choices are high, normal, low.'],
    [['send', 'a', ''], 'the text is empty'],
    [['inbox'], "required option '--alias <alias>' not specified"],
    [['work', '--alias', 'a', '--', 'no-such-command-anywhere'], 'command not found: no-such-command-anywhere'],
    [
      ['connect', 'emacs'],
      "value 'emacs' is invalid for argument 'client'. Allowed choices are claude, codex, gemini, qwen, copilot, opencode, cursor, vscode.",
    ],
    [['connect', 'claude-code'], 'cursor, vscode. Did you mean claude?'],
    [
      ['connect', 'goose'],
      'vscode. Add Goose by hand: its configuration and the hook `agenthub hook goose --alias NAME`.',
    ],
    [['connect', 'vscode', '--hooks'], 'VS Code has no hooks'],
    [
      ['user'],
      'user requires a subcommand: list, show, create, reset-password, set-role, disable, enable, delete (see agenthub user --help)',
    ],
    [['help', 'sned'], 'unknown command sned; did you mean send?'],
    [['config', 'chekc'], "unknown command 'chekc' (Did you mean check?) (see agenthub config --help)"],
    [['config', 'print', '--port', 'abc'], '--port is "abc" but must be a whole number from 0 to 65535'],
    [['config', 'check', '--port', 'abc'], '--port is "abc" but must be a whole number from 0 to 65535'],
    [['serve', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['--tls-cert', 'a.pem'], 'tls_cert and tls_key belong together'],
    [['paths', '--data', ''], '--data is "" but must be a non-empty path or name'],
    [['systemd', 'print', '--tls-key', 'a.pem'], 'tls_cert and tls_key belong together'],
    [
      ['systemd', 'print', '--metrics-token', 'abcdefghijklmnop'],
      '--metrics-token would be readable by all users in the unit; put AGENTHUB_METRICS_TOKEN_FILE into',
    ],
    [['login', 'hub:4747'], 'the address is "hub:4747" but must be an address like http://127.0.0.1:4747'],
  ];

  test.each(WRONG)('%j', async (args, line) => {
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: 'http://127.0.0.1:9', AGENTHUB_TOKEN: 'ntok_x' });
    const { code, stdout, stderr } = await run(cli, args);
    expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
    expect.soft(stderr).toContain(line);
    expect.soft({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(readdirSync(cli.home)).toEqual([]);
  });
});

describe('the nearest word', () => {
  test.each([
    ['sned', 'send'],
    ['statsu', 'status'],
    ['brodcast', 'broadcast'],
    ['ls', undefined],
    ['x', undefined],
    ['send', 'send'],
  ])('%s → %s', (word, near) => expect(nearest(word, FIRST_WORDS)).toBe(near));
});
