// What the command line says of itself, and how it takes a slip of the finger.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../server/cli/client/commands.ts';
import { OPERATOR_COMMANDS } from '../../server/cli/operator-commands.ts';
import { nearest } from '../../server/domain/text/nearest.ts';
import { VERSION } from '../../server/version.ts';
import { isBuilt } from '../support/process/hub-process.ts';
import { newDesk, run, say } from './command-line.ts';

// It starts in half the time, and there are many starts here.
const TARGET = isBuilt('binary') ? 'binary' : 'source';

const ENTRIES = [...Object.values(OPERATOR_COMMANDS), ...Object.values(CLIENT_COMMANDS)].flat();
const NAMES = ENTRIES.map(({ name }) => name);
const COMMANDS = ENTRIES.flatMap((entry) =>
  'commands' in entry ? entry.commands.map(({ name }) => `${entry.name} ${name}`) : [entry.name],
);

describe('help', () => {
  test.each(COMMANDS)('%s --help explains itself with an example, and touches nothing', async (name) => {
    const desk = newDesk(TARGET);
    const { code, stdout, stderr } = await run(desk, [...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: agenthub ${name}`));
    expect(stdout).toMatch(/\nExamples:\n {2}.*agenthub/);
    expect(readdirSync(desk.home)).toEqual([]);
  });

  test('the program lists every command and every exit code', async () => {
    const help = await say(newDesk(TARGET), ['--help']);
    for (const name of NAMES) expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    for (const code of [0, 1, 2, 3, 4, 5, 6]) expect(help).toMatch(new RegExp(`^ {2}${code} {2}\\S`, 'm'));
  });

  test('version tells scripts what runs', async () => {
    const desk = newDesk(TARGET);
    expect(await say(desk, ['--version'])).toBe(`${VERSION}\n`);
    expect(JSON.parse(await say(desk, ['version', '-o', 'json']))).toEqual({
      version: VERSION,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    });
    expect(await say(desk, ['version'])).toContain(`agenthub  ${VERSION}`);
    for (const shell of ['bash', 'zsh', 'fish']) expect(await say(desk, ['completion', shell])).toContain('agenthub');
    expect(readdirSync(desk.home), 'versions and completions touch nothing').toEqual([]);
  });
});

// wrong-usage.test.ts has every command; these are processes.
describe('wrong usage is one line, code 2, and nothing done', () => {
  const WRONG: readonly [args: string[], line: string][] = [
    [['sned', 'builder', 'x'], 'there is no command sned; did you mean send?'],
    [['taks'], 'there is no command taks; did you mean task'],
    [['zzz'], 'there is no command zzz (agenthub --help'],
    [['send', 'builder'], "missing required argument 'text' (agenthub send --help shows how)"],
    [
      ['send', '--ttl', '0', 'a', 'b'],
      "'--ttl <seconds>' argument '0' is invalid. It must be a whole number from 1 to 86400.",
    ],
    [['send', '--wait=soon', 'a', 'b'], 'It must be a whole number from 1 to 86400.'],
    [['send', '--priority', 'urgent', 'a', 'b'], 'Allowed choices are high, normal, low.'],
    [['send', 'a', ''], 'the text is empty'],
    [['inbox'], "required option '--alias <alias>' not specified"],
    [['work', '--alias', 'a', '--', 'no-such-command-anywhere'], 'there is no command no-such-command-anywhere to run'],
    [
      ['connect', 'emacs'],
      "value 'emacs' is invalid for argument 'client'. Allowed choices are claude, codex, gemini, cursor, vscode.",
    ],
    [['connect', 'codex', '--hooks'], 'Codex CLI has no hooks'],
    [
      ['user'],
      'user needs one of these after it: list, create, reset-password, set-role, disable, enable (agenthub user --help',
    ],
    [['help', 'sned'], 'there is no command sned; did you mean send?'],
    [['config', 'chekc'], "unknown command 'chekc' (Did you mean check?) (agenthub config --help shows how)"],
    [['config', 'print', '--port', 'abc'], '--port is "abc" but must be a whole number from 0 to 65535'],
    [['config', 'check', '--port', 'abc'], '--port is "abc" but must be a whole number from 0 to 65535'],
    [['serve', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['--tls-cert', 'a.pem'], 'tls_cert and tls_key belong together'],
    [['paths', '--data', ''], '--data is "" but must be a path or name, not empty'],
    [['systemd', 'print', '--tls-key', 'a.pem'], 'tls_cert and tls_key belong together'],
    [
      ['systemd', 'print', '--metrics-token', 'abcdefghijklmnop'],
      '--metrics-token would stand in the unit for all to read; put AGENTHUB_METRICS_TOKEN_FILE into',
    ],
    [['login', 'hub:4747'], 'the address is "hub:4747" but must be an address like http://127.0.0.1:4747'],
  ];

  test.each(WRONG)('%j', async (args, line) => {
    const desk = newDesk(TARGET, { AGENTHUB_URL: 'http://127.0.0.1:9', AGENTHUB_TOKEN: 'ntok_x' });
    const { code, stdout, stderr } = await run(desk, args);
    expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
    expect.soft(stderr).toContain(line);
    expect.soft({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(readdirSync(desk.home)).toEqual([]);
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
