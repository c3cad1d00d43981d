// Configuration keys: every key from every source, every invalid value, and the warnings.
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig, readEffective, type Sources } from '../../server/config/config.ts';
import { flagOf, KEY_NAMES, KEYS, type KeyName, variableOf } from '../../server/config/keys.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

function dataWith(content: object | string): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'agenthub.json'), typeof content === 'string' ? content : JSON.stringify(content), {
    mode: 0o600,
  });
  return data;
}

type Sample = {
  text: string;
  value: unknown;
  inFile?: unknown;
  wrong: readonly string[];
  with?: Readonly<Record<string, string>>;
};

/** For each key: a value other than the default, as text and parsed; invalid values; and keys that it requires. */
const SAMPLES: Readonly<Record<Exclude<KeyName, 'data'>, Sample>> = {
  host: {
    text: '0.0.0.0',
    value: '0.0.0.0',
    wrong: [
      '',
      ' ',
      'foo bar',
      'http://localhost',
      'localhost:80',
      '[::1]',
      '::g',
      '-a',
      'a..b',
      '256.0.0.1',
      '5',
      'a/b',
    ],
  },
  port: { text: '8080', value: 8080, inFile: 8080, wrong: ['', 'http', '-1', '65536', '80.5', '0x50'] },
  port_file: { text: '/run/hub/port', value: '/run/hub/port', wrong: [' '] },
  database: {
    text: 'postgres://agenthub:secret@db.example.org/agenthub',
    value: 'postgres://agenthub:secret@db.example.org/agenthub',
    wrong: [
      ' ',
      'agenthub.db',
      'mysql://db.example.org/agenthub',
      'postgres://db.example.org',
      'postgres://db.example.org/',
    ],
  },
  public_url: {
    text: 'https://Hub.example.org/',
    value: 'https://hub.example.org',
    wrong: [
      'hub.example.org',
      'ftp://hub.example.org',
      'https://hub.example.org/path',
      'https://me@hub.example.org',
      'https://hub.example.org?x',
    ],
  },
  allowed_hosts: {
    text: 'Hub.example, other.example',
    value: ['hub.example', 'other.example'],
    inFile: ['Hub.example', 'other.example'],
    wrong: ['https://hub.example', 'a b', '*', '*.example', '.example'],
  },
  allowed_origins: {
    text: 'https://a.example/,null',
    value: ['https://a.example', 'null'],
    inFile: ['https://a.example', 'null'],
    wrong: ['a.example', 'https://a.example/page'],
  },
  trust_proxy: { text: '2', value: 2, inFile: 2, wrong: ['', 'yes', '-1', '11'] },
  tls_cert: {
    text: '/etc/hub/cert.pem',
    value: '/etc/hub/cert.pem',
    wrong: [' '],
    with: { tls_key: '/etc/hub/key.pem' },
  },
  tls_key: {
    text: '/etc/hub/key.pem',
    value: '/etc/hub/key.pem',
    wrong: [' '],
    with: { tls_cert: '/etc/hub/cert.pem' },
  },
  require_tls: {
    text: 'true',
    value: true,
    inFile: true,
    wrong: ['', 'yes', '1'],
  },
  require_setup_token: { text: 'true', value: true, inFile: true, wrong: ['', 'yes', '1'] },
  registration: { text: 'invite', value: 'invite', wrong: ['', 'Open', 'nobody'] },
  admin_username: {
    text: 'Ada_林',
    value: 'Ada_林',
    wrong: ['a', 'a b', 'x'.repeat(51)],
    with: { admin_password: 'secret' },
  },
  admin_password: {
    text: 'correct horse',
    value: 'correct horse',
    wrong: ['short', 'x'.repeat(257)],
    with: { admin_username: 'ada' },
  },
  trial_days: { text: '0.5', value: 0.5, inFile: 0.5, wrong: ['', 'soon', '-1', '36501'] },
  offline_after_seconds: { text: '900', value: 900, inFile: 900, wrong: ['', '0', '86401', '1.5'] },
  heartbeat_seconds: { text: '15', value: 15, inFile: 15, wrong: ['', '0', '3601'] },
  sweep_seconds: { text: '59', value: 59, inFile: 59, wrong: ['', '0', '60'] },
  drain_seconds: { text: '20', value: 20, inFile: 20, wrong: ['', '-1', '3601', '1.5'] },
  metrics: { text: 'off', value: 'off', wrong: ['', 'on'] },
  metrics_token: { text: 'abcdefghijklmnop', value: 'abcdefghijklmnop', wrong: ['short', 'with spaces in it it'] },
  notifier_addresses: { text: 'all', value: 'all', wrong: ['', 'private'] },
  backup_schedule: { text: '03:30', value: '03:30', wrong: ['', 'daily', '24:00', '3:30', '* * * * *'] },
  backup_keep: { text: '30', value: 30, inFile: 30, wrong: ['', '0', '10001'] },
  keep_events_hours: { text: '48', value: 48, inFile: 48, wrong: ['', '0', '8761'] },
  keep_messages_days: { text: '0', value: 0, inFile: 0, wrong: ['', '-1', '36501', '0.5'] },
  keep_tasks_days: { text: '30', value: 30, inFile: 30, wrong: ['', 'never'] },
  keep_audit_days: { text: '30', value: 30, inFile: 30, wrong: ['', 'never'] },
  max_networks: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_memberships: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_tokens: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_invites: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_notifiers: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_sessions: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_nodes: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_pending_messages: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_streams_per_user: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_waits_per_user: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_requests_per_minute: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_broadcasts_per_minute: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_changes_per_minute: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  max_network_bytes: { text: '12', value: 12, inFile: 12, wrong: ['', '-1', '0.5', 'many'] },
  log_level: { text: 'debug', value: 'debug', wrong: ['', 'loud'] },
  log_format: { text: 'json', value: 'json', wrong: ['', 'xml'] },
};

describe.each(Object.entries(SAMPLES))('%s', (name, { text, value, inFile, wrong, with: required = {} }) => {
  const key = KEY_NAMES.find((known) => known === name) ?? 'port';
  const others = { flags: required, env: {} };

  test('comes from a flag, a variable or the file, in this order of precedence', () => {
    const plain = dataWith({});
    const filled = dataWith({ [name]: inFile ?? text });
    const found = (sources: Sources, data: string) => {
      const { config, origins } = readEffective({ flags: { ...required, data, ...sources.flags }, env: sources.env });
      return [config[key], origins[key]?.source, origins[key]?.spelling];
    };
    const flag = { flags: { [name]: text }, env: {} };
    const variable = { flags: {}, env: { [variableOf(name)]: text } };
    const nothing = { flags: {}, env: {} };
    expect(found(flag, plain)).toEqual([value, 'flag', flagOf(name)]);
    expect(found(variable, plain)).toEqual([value, 'environment', variableOf(name)]);
    expect(found(nothing, filled)).toEqual([value, 'file', `${name} in ${join(filled, 'agenthub.json')}`]);
    expect(found({ ...flag, env: { [variableOf(name)]: 'never read' } }, filled)[1]).toBe('flag');
    expect(found(variable, dataWith({ [name]: 'never read' }))[1]).toBe('environment');
    if (Object.keys(required).length === 0) expect(found(nothing, plain)[1]).toBe('default');
  });

  test.each(wrong.map((each) => [each]))('rejects %j from each source and names the key as it was spelled', (each) => {
    const data = dataWith({ [name]: each });
    const rule = expect.stringMatching(/ must be ./);
    expect(problemsOf({ flags: { ...others.flags, data, [name]: each }, env: {} })).toEqual([rule]);
    expect(problemsOf({ flags: { ...others.flags, data, [name]: each }, env: {} })[0]).toContain(`${flagOf(name)} is `);
    expect(problemsOf({ flags: { ...others.flags, data }, env: { [variableOf(name)]: each } })[0]).toContain(
      `${variableOf(name)} is `,
    );
    expect(problemsOf({ flags: { ...others.flags, data }, env: {} })[0]).toContain(
      `${name} in ${join(data, 'agenthub.json')} is `,
    );
  });
});

test('every key except the data directory has a sample', () => {
  expect(Object.keys(SAMPLES)).toEqual(KEY_NAMES.filter((name) => name !== 'data'));
  expect(Object.keys(KEYS)).toContain('data');
});

function problemsOf(sources: Sources): readonly string[] {
  try {
    readConfig(sources);
  } catch (error) {
    if (error instanceof Error && 'problems' in error && Array.isArray(error.problems)) return error.problems;
  }
  throw new Error('nothing was refused');
}

describe('a secret', () => {
  const flags = { admin_username: 'ada' };

  test('is read from the file that its _FILE variable names, without the line break', () => {
    const file = join(dataWith({}), 'password');
    writeFileSync(file, 'correct horse\n');
    const { config, origins } = readEffective({ flags, env: { AGENTHUB_ADMIN_PASSWORD_FILE: file } });
    expect(config.admin_password).toBe('correct horse');
    expect(origins.admin_password).toEqual({ source: 'environment', spelling: 'AGENTHUB_ADMIN_PASSWORD_FILE' });
  });

  test('does not appear in error messages', () => {
    expect(problemsOf({ flags, env: { AGENTHUB_ADMIN_PASSWORD: 'abc' } })).toEqual([
      'AGENTHUB_ADMIN_PASSWORD is (hidden) but must be 6 to 256 characters',
    ]);
  });

  test.each([
    [
      'a missing file',
      { AGENTHUB_ADMIN_PASSWORD_FILE: '/no/such/file' },
      'AGENTHUB_ADMIN_PASSWORD_FILE names /no/such/file, which cannot be read: ENOENT',
    ],
    [
      'an empty file',
      { AGENTHUB_METRICS_TOKEN_FILE: '/dev/null' },
      'AGENTHUB_METRICS_TOKEN_FILE names /dev/null, which is empty',
    ],
    [
      'both at once',
      { AGENTHUB_ADMIN_PASSWORD_FILE: '/x', AGENTHUB_ADMIN_PASSWORD: 'secret' },
      'AGENTHUB_ADMIN_PASSWORD and AGENTHUB_ADMIN_PASSWORD_FILE are both set; set only one',
    ],
  ])('is rejected with %s', (_, env, line) => {
    expect(problemsOf({ flags, env })[0]).toBe(line);
  });
});

describe('the default of registration', () => {
  test.each<[flags: Record<string, string>, value: string]>([
    [{}, 'open'],
    [{ host: 'localhost', public_url: 'http://localhost:8080', allowed_hosts: 'hub.localhost' }, 'open'],
    [{ host: '0.0.0.0' }, 'invite'],
    [{ host: '192.0.2.1' }, 'invite'],
    [{ public_url: 'https://hub.example' }, 'invite'],
    [{ trust_proxy: '1' }, 'invite'],
    [{ allowed_hosts: 'localhost,hub.lan' }, 'invite'],
  ])('with %j is %s', (flags, value) => {
    const { config, origins } = readEffective({ flags, env: {} });
    expect([config.registration, origins.registration]).toEqual([
      value,
      { source: 'default', spelling: 'registration' },
    ]);
  });

  test.each(['open', 'closed', 'invite'])('is overridden by %s from every source', (registration) => {
    const open = { host: '0.0.0.0' };
    expect(readConfig({ flags: { ...open, registration }, env: {} }).registration).toBe(registration);
    expect(readConfig({ flags: open, env: { AGENTHUB_REGISTRATION: registration } }).registration).toBe(registration);
    expect(readConfig({ flags: { ...open, data: dataWith({ registration }) }, env: {} }).registration).toBe(
      registration,
    );
  });
});

describe('keys that belong together', () => {
  test.each([
    [{ tls_cert: 'cert.pem' }, 'tls_cert and tls_key belong together'],
    [{ tls_key: 'key.pem' }, 'tls_cert and tls_key belong together'],
    [{ admin_username: 'ada' }, 'admin_username and admin_password belong together'],
    [{ metrics: 'token' }, 'metrics is "token" but metrics_token is not set'],
  ])('%j alone is rejected', (flags, line) => {
    expect(problemsOf({ flags, env: {} })).toEqual([expect.stringContaining(line)]);
  });
});

test.each(['localhost', 'hub.example.', 'my_service', 'HUB-1', '::', '::1', 'fe80::1%eth0', '192.0.2.1', '127.1'])(
  '%s is a host',
  (host) => {
    expect(readConfig({ flags: { host }, env: {} }).host).toBe(host);
  },
);

test('rules for several keys are checked if their keys are valid and known', () => {
  const flags = { data: dataWith({ tls_key: true }), tls_cert: 'cert.pem', admin_username: 'ada', port: 'x' };
  expect(problemsOf({ flags, env: {} })).toEqual([
    expect.stringMatching(/^tls_key in .* is true/),
    expect.stringMatching(/^--port is "x"/),
    expect.stringMatching(/^admin_username and admin_password belong together/),
  ]);
  const unreadable = { ...flags, data: dataWith('{') };
  expect(problemsOf({ flags: unreadable, env: {} })).toEqual([
    expect.stringContaining('cannot be read'),
    expect.stringMatching(/^--port is "x"/),
  ]);
});

test('a link without a target is not a missing file', () => {
  const data = temporaryDirectory();
  symlinkSync('/nowhere/agenthub.json', join(data, 'agenthub.json'));
  expect(problemsOf({ flags: { data }, env: {} })).toEqual([
    expect.stringMatching(/agenthub\.json cannot be read: ENOENT$/),
  ]);
});

describe.skipIf(process.getuid?.() !== 0)('in the directory of another user', () => {
  const NOBODY = 65_534;
  const SECRET = 'root:$6$salt$hash';

  test('root does not follow a link', () => {
    const [data, file] = [temporaryDirectory(), join(temporaryDirectory(), 'shadow')];
    writeFileSync(file, SECRET, { mode: 0o600 });
    symlinkSync(file, join(data, 'agenthub.json'));
    chownSync(data, NOBODY, NOBODY);
    expect(problemsOf({ flags: { data }, env: {} })).toEqual([
      `${data}/agenthub.json is a symbolic link in the directory of another user, which root does not follow; run as that user, or remove it`,
    ]);
  });

  test('an error about JSON does not quote the file of that user', () => {
    const data = dataWith(SECRET);
    for (const path of [data, join(data, 'agenthub.json')]) chownSync(path, NOBODY, NOBODY);
    expect(problemsOf({ flags: { data }, env: {} })).toEqual([
      `${data}/agenthub.json cannot be read: it is not valid JSON`,
    ]);
  });
});

test('root follows a link in its own directory', () => {
  const data = temporaryDirectory();
  symlinkSync(join(dataWith({ port: 8080 }), 'agenthub.json'), join(data, 'agenthub.json'));
  expect(readConfig({ flags: { data }, env: {} })).toMatchObject({ port: 8080 });
});

test('all problems are reported in order', () => {
  const data = dataWith({ trial_days: 'soon', port: true });
  expect(problemsOf({ flags: { data, log_level: 'loud' }, env: { AGENTHUB_HOST: '' } })).toEqual([
    expect.stringMatching(/^port in .* is true but must be a string or a number$/),
    expect.stringMatching(/^AGENTHUB_HOST is ""/),
    expect.stringMatching(/^trial_days in .* is "soon"/),
    expect.stringMatching(/^--log-level is "loud"/),
  ]);
});

describe('an invalid file prevents the start and is reported', () => {
  test.each([
    ['invalid JSON', '{', 'cannot be read: Expected property name'],
    ['a list', '[]', 'must contain one JSON object'],
    ['a list instead of a single value', '{"host": ["a", "b"]}', 'host in '],
    [
      'an object instead of a value',
      '{"allowed_hosts": {"a": 1}}',
      'must be a string or a number, or a list of strings',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemsOf({ flags: { data: dataWith(text) }, env: {} })[0]).toContain(problem);
  });
});

test('paths in the file are relative to the data directory, paths in flags to the working directory', () => {
  const data = dataWith({ tls_cert: 'tls/cert.pem' });
  expect(readConfig({ flags: { data, tls_key: 'key.pem' }, env: {} })).toMatchObject({
    tls_cert: join(data, 'tls/cert.pem'),
    tls_key: join(process.cwd(), 'key.pem'),
  });
});

test('variables that Kubernetes sets for a service called agenthub are ignored', () => {
  const env = {
    AGENTHUB_PORT: 'tcp://10.0.0.7:4747',
    AGENTHUB_PORT_4747_TCP: 'tcp://10.0.0.7:4747',
    AGENTHUB_PORT_4747_TCP_ADDR: '10.0.0.7',
    AGENTHUB_PORT_4747_TCP_PORT: '4747',
    AGENTHUB_PORT_4747_TCP_PROTO: 'tcp',
    AGENTHUB_SERVICE_HOST: '10.0.0.7',
    AGENTHUB_SERVICE_PORT: '4747',
    AGENTHUB_SERVICE_PORT_HTTP: '4747',
    AGENTHUB_CONTEXT: 'team',
  };
  const { warnings, config, origins } = readEffective({ flags: { data: dataWith({ port: 5000 }) }, env });
  expect(warnings).toEqual([]);
  expect(config.port).toBe(5000);
  expect(origins['port']).toMatchObject({ source: 'file' });
});

describe('causes only a warning', () => {
  test.each([
    ['an unknown key', { prot: 1 }, {}, /unknown key prot is ignored; did you mean port\?$/],
    [
      'an unknown key without a similar one',
      { color: 'red' },
      {},
      /unknown key color .*`agenthub config print` lists all keys$/,
    ],
    [
      'the data directory itself',
      { data: '/elsewhere' },
      {},
      /: data is ignored, because this file is in the data directory; set it with --data or AGENTHUB_DATA$/,
    ],
    [
      'a key that is set twice, also by an escape',
      '{"host": "localhost", "log_level": "info", "x\\"": {"a": 1, "a": [{"a": 1}]}, "ho\\u0073t": "::1", "x\\"": ":"}',
      {},
      [
        /: host is set more than once, and only the last value counts; remove the others$/,
        /: x" is set more than once/,
        /unknown key x" is ignored/,
      ],
    ],
    [
      'a file for a key that is not a secret',
      {},
      { AGENTHUB_HOST_FILE: '/run/port' },
      /^unknown variable AGENTHUB_HOST_FILE is ignored; only secrets can be read from a file$/,
    ],
    [
      'a variable that looks like a typo',
      {},
      { AGENTHUB_PUBLIC_ULR: 'x' },
      /^unknown variable AGENTHUB_PUBLIC_ULR is ignored; did you mean AGENTHUB_PUBLIC_URL\?$/,
    ],
    [
      'a variable without a similar one',
      {},
      { AGENTHUB_COLOR: 'red' },
      /^unknown variable AGENTHUB_COLOR is ignored; `agenthub config print` lists all$/,
    ],
  ])('%s', (_, content, env, line) => {
    const { warnings, config } = readEffective({ flags: { data: dataWith(content) }, env });
    expect(warnings).toEqual([line].flat().map((each) => expect.stringMatching(each)));
    expect(config.port).toBe(4747);
  });

  test('a file with a secret that others can read', () => {
    const data = dataWith({ metrics_token: 'abcdefghijklmnop' });
    expect(readEffective({ flags: { data }, env: {} }).warnings).toEqual([]);
    chmodSync(join(data, 'agenthub.json'), 0o644);
    expect(readEffective({ flags: { data }, env: {} }).warnings).toEqual([
      expect.stringMatching(/contains a secret and other users can read it; run chmod 600/),
    ]);
  });
});
