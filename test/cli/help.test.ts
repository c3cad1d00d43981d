// Help texts, and the handling of mistyped commands.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../server/cli/client/commands.ts';
import { OPERATOR_COMMANDS } from '../../server/cli/operator-commands.ts';
import { nearest } from '../../server/domain/text/nearest.ts';
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { VERSION } from '../../server/version.ts';
import { newCli, outputOf, run } from '../support/process/command-line.ts';
import { ANY_TARGET } from '../support/process/hub-process.ts';

const ENTRIES = [...Object.values(OPERATOR_COMMANDS), ...Object.values(CLIENT_COMMANDS)].flat();
const NAMES = ENTRIES.map(({ name }) => name);
const COMMANDS = ENTRIES.flatMap((entry) =>
  'commands' in entry ? entry.commands.map(({ name }) => `${entry.name} ${name}`) : [entry.name],
);

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
    for (const name of NAMES) expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    for (const code of [0, 1, 2, 3, 4, 5, 6, 70]) expect(help).toMatch(new RegExp(`^ {2,3}${code} {2}\\S`, 'm'));
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

// wrong-usage.test.ts covers every command; these tests run real processes.
describe('invalid usage prints one line, exits with code 2, and does nothing', () => {
  const WRONG: readonly [args: string[], line: string][] = [
    [['sned', 'builder', 'x'], 'unknown command sned; did you mean send?'],
    [['taks'], 'unknown command taks; did you mean task'],
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
  ])('%s → %s', (word, near) => expect(nearest(word, NAMES)).toBe(near));
});
