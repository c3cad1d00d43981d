// Every command with every kind of invalid argument: it prints one line that names the problem and the accepted values,
// and exits with code 2 before doing anything. Generated from the table of commands, so that a new one is covered or
// fails here.
import { readdirSync } from 'node:fs';
import { type Argument, Command, type Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { addCommands, defaultVerbOf } from '../../server/cli/commands.ts';
import { endingOf } from '../../server/cli/ending.ts';
import { performCommand } from '../../server/cli/program.ts';
import { flagOf, KEY_NAMES } from '../../server/config/keys.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';

process.env.AGENTHUB_URL = 'http://127.0.0.1:9';
process.env.AGENTHUB_TOKEN = 'ntok_x';

const PROGRAM = new Command('agenthub');
addCommands(PROGRAM);
/** With the short forms, of which some are the name of a family. */
const LEAVES: readonly [words: string, command: Command][] = PROGRAM.commands.flatMap((entry): [string, Command][] => {
  if (entry.commands.length === 0) return [[entry.name(), entry]];
  const usual = entry.commands.filter((each) => each.name() === defaultVerbOf(entry.name())?.name);
  return [
    ...usual.map((each): [string, Command] => [entry.name(), each]),
    ...entry.commands.map((each): [string, Command] => [`${entry.name()} ${each.name()}`, each]),
  ];
});

/** A valid value for each parameter and each mandatory option. */
const RIGHT: Readonly<Record<string, string>> = {
  alias: 'builder',
  client: 'codex',
  command: 'true',
  context: 'staging',
  file: 'a.db',
  id: 'task_1',
  name: 'ci',
  network: 'build',
  shell: 'bash',
  text: 'x',
  hub: 'node-2',
  url: 'http://hub',
  user: 'ada',
  username: 'ada',
  '--alias': 'builder',
  '--user': 'ada',
  '--owner': 'ada',
  '--network': 'build',
  '--until': 'never',
};

type Wrong = readonly [value: string, rule: string];

const NAME: readonly Wrong[] = [
  ['', 'must not be empty'],
  ['x'.repeat(201), 'must have at most 200 characters'],
];
const FILE: readonly Wrong[] = [['', 'must name a file']];
const CONTEXT: readonly Wrong[] = [
  ['', 'must be a name of letters'],
  ['a b', 'must be a name of letters'],
];

/** Invalid values by the name of a parameter or an option, with its command if the name is ambiguous. */
const WRONG: Readonly<Record<string, readonly Wrong[]>> = {
  alias: NAME,
  id: NAME,
  user: NAME,
  network: NAME,
  hub: NAME,
  file: FILE,
  context: CONTEXT,
  username: [
    ['a b', 'must be letters, digits'],
    ['a', 'at least 2 characters'],
    ['x'.repeat(51), 'at most 50 characters'],
  ],
  name: [
    ['', 'must not be empty'],
    ['x'.repeat(101), 'at most 100 characters'],
  ],
  text: [
    ['', 'the text is empty'],
    ['x'.repeat(10_001), 'at most 10000 characters'],
  ],
  url: [
    ['hub:4747', 'must be an address like http://127.0.0.1:4747'],
    ['', 'must be an address like'],
  ],
  command: [['no-such-command-anywhere', 'command not found: no-such-command-anywhere']],
  '--ack': NAME,
  '--alias': NAME,
  '--cursor': NAME,
  '--from': NAME,
  '--network': NAME,
  '--owner': NAME,
  '--to': NAME,
  '--user': NAME,
  '--username': NAME,
  'systemd print --user': [
    ['my hub', 'must be the name of a system account'],
    ['', 'must be the name of a system account'],
  ],
  'tasks --text': NAME,
  'task list --text': NAME,
  'login --context': CONTEXT,
  '--hub': [...CONTEXT, ['ftp://hub', 'must be an address such as']],
  '--token': NAME,
  '--token-file': FILE,
  '--context': [['x'.repeat(10_001), 'at most 10000 characters']],
  '--description': [['x'.repeat(1_001), 'at most 1000 characters']],
  '--display-name': [['x'.repeat(101), 'at most 100 characters']],
  '--email': [['x'.repeat(255), 'at most 254 characters']],
  '--expires-in-days': [
    ['0', 'a number above 0, at most 3650'],
    ['-1', 'above 0'],
    ['3651', 'at most 3650'],
    ['soon', 'a number above 0'],
    ['', 'a number above 0'],
  ],
  'network invite --expires-in-days': [
    ['0', 'a number above 0, at most 365'],
    ['366', 'at most 365'],
  ],
  '--grace': [
    ['-1', 'a number of seconds from 0 to 3600'],
    ['3601', 'to 3600'],
    ['', 'a number of seconds'],
  ],
  '--idempotency-key': [
    ['', 'must not be empty'],
    ['x'.repeat(201), 'at most 200 characters'],
  ],
  '--limit': [
    ['0', 'a whole number from 1 to'],
    ['501', 'a whole number from 1 to'],
    ['1.5', 'a whole number'],
    ['', 'a whole number'],
  ],
  '--reason': [['x'.repeat(1_001), 'at most 1000 characters']],
  '--report-every': [
    ['0', 'a number of seconds from 0.1 to 60'],
    ['61', 'to 60'],
  ],
  '--timeout': [
    ['-1', 'a number of seconds from'],
    ['86401', 'a number of seconds from'],
    ['soon', 'a number of seconds'],
  ],
  '--ttl': [
    ['0', 'a whole number from 1 to 86400'],
    ['86401', 'to 86400'],
  ],
  '--until': [
    ['soon', 'a date such as 2027-01-31, or never'],
    ['2027-02-30', 'a date such as'],
  ],
  '--url': [
    ['hub', 'must be an address such as'],
    ['ftp://hub', 'must be an address such as'],
  ],
  '--session': NAME,
  '--detached': NAME,
  '--check': FILE,
  '--bundle': FILE,
  '--exec': NAME,
  'wake --owner': [['0', 'a whole number from 1']],
  '--transfer-to': NAME,
  '--action': NAME,
  '--actor': NAME,
  '--uses': [
    ['0', 'a whole number from 1 to'],
    ['many', 'a whole number'],
  ],
  '--wait': [
    ['0', 'a whole number from 1 to 86400'],
    ['soon', 'a whole number'],
  ],
  '--admin-username': [['a b', 'must be 2 to 50 letters']],
  '--admin-password': [['short', 'must be 6 to 256 characters']],
  '--allowed-hosts': [['a b', 'must be names such as']],
  '--allowed-origins': [['hub', 'must be origins such as']],
  '--backup-schedule': [['now', 'must be off, hourly or a time']],
  '--data': [['', 'must be a non-empty path or name']],
  '--host': [
    ['', 'must be an IP address or a host name'],
    ['foo bar', 'must be an IP address or a host name'],
  ],
  '--job': [['a"b', 'It must be 1 to 100 letters']],
  '--metrics-token': [['short', 'must be at least 16 ASCII characters']],
  '--port-file': [[' ', 'must be a non-empty path or name']],
  '--public-url': [['hub', 'must be']],
  '--tls-cert': [['a.pem', 'tls_cert and tls_key belong together']],
  '--tls-key': [['a.pem', 'tls_cert and tls_key belong together']],
};

/** Keys whose rule is a range or a choice all reject this value. */
const OTHER_KEYS = KEY_NAMES.map(flagOf);
const INVALID_FOR_ANY_KEY: readonly Wrong[] = [['no such value', 'must be']];

/** Both report all problems at once; test/cli/configuration.test.ts and doctor.test.ts cover them. */
const REPORTS_ALL = ['config check', 'doctor'];

type Row = { args: string[]; expected: string[] };

function rowsOf(words: string, command: Command): Row[] {
  const { options, registeredArguments: parameters } = command;
  const needed = parameters.filter(({ required }) => required);
  const withOptions = (except?: Option): string[] => [
    ...words.split(' '),
    ...(options.some(({ long }) => long === '--yes') ? ['--yes'] : []),
    ...options
      .filter((option) => option.mandatory && option !== except)
      .flatMap(({ long }) => [long ?? '', right(long ?? '')]),
  ];
  const withParameters = (except?: Argument, value = ''): string[] => {
    const given = parameters
      .filter((each) => each.required || each === except)
      .map((each) => (each === except ? value : rightFor(each)));
    return given.length === 0 ? [] : ['--', ...given];
  };
  return [
    {
      args: [...withOptions(), '--no-such-option', ...withParameters()],
      expected: ["unknown option '--no-such-option'"],
    },
    ...(parameters.some(({ variadic }) => variadic)
      ? []
      : [
          {
            args: [...withOptions(), '--', ...parameters.map((each) => rightFor(each)), 'too-many'],
            expected: ['too many arguments'],
          },
        ]),
    ...needed.map((missing, index) => ({
      args: [...withOptions(), '--', ...needed.slice(0, index).map((each) => rightFor(each))],
      expected: [`missing required argument '${missing.name()}'`],
    })),
    ...options
      .filter(({ mandatory }) => mandatory)
      .map((missing) => ({
        args: [...withOptions(missing), ...withParameters()],
        expected: [`required option '${missing.flags}' not specified`],
      })),
    ...options
      .filter(({ required }) => required)
      .map((bare) => ({
        args: [...withOptions(bare), bare.long ?? ''],
        expected: [`option '${bare.flags}' argument missing`],
      })),
    ...parameters.flatMap((each) =>
      wrongValues(words, each.name(), each.argChoices).map(([value, rule]) => ({
        args: [...withOptions(), ...withParameters(each, value)],
        expected: [rule],
      })),
    ),
    ...options
      .filter(({ required, optional }) => required || optional)
      .flatMap((each) =>
        wrongValues(words, each.long ?? '', each.argChoices).map(([value, rule]) => ({
          args: [...withOptions(each), `${each.long}=${value}`, ...withParameters()],
          expected: [rule, namedIn(each)],
        })),
      ),
  ];
}

/** The first of its choices, if it has any. */
function rightFor(argument: Argument): string {
  return argument.argChoices?.[0] ?? right(argument.name());
}

function right(name: string): string {
  const value = RIGHT[name];
  if (value === undefined) throw new Error(`RIGHT needs a valid value for ${name}`);
  return value;
}

function wrongValues(words: string, name: string, choices: readonly string[] | undefined): readonly Wrong[] {
  if (choices !== undefined)
    return [
      ['no-such-word', `Allowed choices are ${choices.join(', ')}.`],
      ['', 'Allowed choices are'],
    ];
  if (REPORTS_ALL.includes(words) && OTHER_KEYS.includes(name)) return [];
  const wrong =
    WRONG[`${words} ${name}`] ?? WRONG[name] ?? (OTHER_KEYS.includes(name) ? INVALID_FOR_ANY_KEY : undefined);
  if (wrong === undefined) throw new Error(`WRONG needs invalid values for ${words} ${name}`);
  return wrong;
}

// A certificate and its key are named as keys, because one of them may be in the file.
function namedIn({ long = '' }: Option): string {
  return long.startsWith('--tls-') ? long.slice(2).replace('-', '_') : long;
}

async function outcomeOf(args: readonly string[]): Promise<{ code: number | undefined; lines: string[] }> {
  const lines: string[] = [];
  try {
    await performCommand(['node', 'agenthub', ...args], (line) => lines.push(line));
    return { code: 0, lines };
  } catch (error) {
    const { code, failure } = endingOf(error);
    return { code, lines: [...lines, ...(failure === undefined ? [] : [failure.message])] };
  }
}

describe.each(LEAVES)('%s', (words, command) => {
  test('rejects every invalid argument', async () => {
    const data = temporaryDirectory();
    process.env.AGENTHUB_DATA = data;
    for (const { args, expected } of rowsOf(words, command)) {
      const { code, lines } = await outcomeOf(args);
      expect.soft({ args, code, lines }).toEqual({ args, code: 2, lines: [expect.stringMatching(/^[^\n]{1,300}$/)] });
      for (const part of expected) expect.soft(lines.join(), args.join(' ')).toContain(part);
    }
    expect(readdirSync(data)).toEqual([]);
  });
});

test('a bad request to a hub exits with the code for invalid usage', async () => {
  const { HubRefused } = await import('../../server/cli/client/hub-client.ts');
  const codeOf = (status: number, word: string) => endingOf(new HubRefused(status, word, 'no')).code;
  expect([
    codeOf(400, 'invalid_request'),
    codeOf(200, 'invalid_arguments'),
    codeOf(400, 'task is terminal'),
    codeOf(404, 'not_found'),
    codeOf(200, 'permission_denied'),
    codeOf(401, 'unauthorized'),
    codeOf(403, 'forbidden'),
  ]).toEqual([2, 2, 1, 1, 4, 4, 4]);
});
