// What a person has in the files that `connect` changes: it is the same, byte for byte, after --write and --remove, and
// what takes the place of the hub makes connect refuse in one line.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { objectIn } from '../../support/json.ts';
import { type AgentCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { sharedHub } from '../../support/process/shared-hub.ts';

const { url, person: newPerson } = sharedHub(ANY_TARGET);

type Files = Readonly<Record<string, string>>;

const OWN_DIRECTORY = '.config/agenthub';

function person(files: Files = {}): AgentCli {
  const cli = newPerson();
  for (const [path, text] of Object.entries(files)) put(cli, path, text);
  return cli;
}

function put({ home }: AgentCli, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}
const read = ({ home }: AgentCli, path: string): string => readFileSync(join(home, path), 'utf8');

function filesIn({ home }: AgentCli, directory = ''): Files {
  const names = readdirSync(join(home, directory), { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(directory, name)).filter((path) => statSync(join(home, path)).isFile());
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(home, path), 'utf8')]));
}

/** All files but those of agenthub itself. */
function filesOf(cli: AgentCli): Files {
  return Object.fromEntries(Object.entries(filesIn(cli)).filter(([path]) => !path.startsWith(OWN_DIRECTORY)));
}

function ownFilesOf(cli: AgentCli): Files {
  return existsSync(join(cli.home, OWN_DIRECTORY)) ? filesIn(cli, OWN_DIRECTORY) : {};
}

function withToken(files: Files): string[] {
  return Object.keys(files).filter((path) => files[path]?.includes('ntok_'));
}

const connect = (cli: AgentCli, ...args: string[]) => outputOf(cli, ['connect', ...args]);

const FOREIGN_JSON =
  '{"mcpServers":{"hub":{"type":"http","url":"https://other.example/mcp","headers":{"X-Mine":"1"}}}}';
const FOREIGN_TOML =
  '[mcp_servers.hub]\nurl = "http://127.0.0.1:4747/mcp"\nbearer_token_env_var = "HUB_TOKEN"\ntool_timeout_sec = 600\n\n' +
  '[mcp_servers.hub.env]\nA = "b"\n';
const OWN_PLUGIN = 'export const Mine = async () => ({});\n';

describe('after --write and --remove, the files are the same:', () => {
  const CASES: readonly [what: string, args: readonly string[], files: Files][] = [
    ['only a comment', ['gemini', '--hooks'], { '.gemini/settings.json': '// mine' }],
    [
      'permissions and servers that Claude Code had, and empty containers',
      ['claude', '--hooks'],
      {
        '.claude/settings.local.json':
          '{\n  // my settings\n  "permissions": { "allow": ["mcp__hub", "Bash(ls)"], "deny": [] },\n' +
          '  "enabledMcpjsonServers": ["hub", "other"],\n  "hooks": {},\n  "env": {}\n}\n',
        '.mcp.json': '{"mcpServers": {}}\n',
      },
    ],
    ['an empty object', ['claude', '--hooks'], { '.claude/settings.local.json': '{}\n', '.mcp.json': '{}' }],
    ['nothing but a comment', ['gemini', '--hooks'], { '.gemini/settings.json': '{\n  // do not lose\n}\n' }],
    ['a comment', ['gemini'], { '.gemini/settings.json': '{\n  "mcpServers": {\n    // I tried: foo\n  }\n}\n' }],
    [
      'own hooks, an empty list, tabs and trailing commas',
      ['gemini', '--hooks'],
      {
        '.gemini/settings.json':
          '{\n\t"mcpServers": {}, /* keep */\n\t"hooks": { "AfterTool": [ { "matcher": "write_file", "hooks": ' +
          '[ { "type": "command", "command": "mine.sh" } ] } ], "BeforeAgent": [] },\n}\n',
      },
    ],
    ['an empty file', ['codex', '--hooks'], { '.codex/config.toml': '', '.codex/hooks.json': '{}' }],
    [
      'a permission of the plugin',
      ['claude', '--plugin'],
      {
        '.claude/settings.json': '{\n  // mine\n  "permissions": {"allow": ["mcp__plugin_agenthub_hub"]}\n}\n',
      },
    ],
    ['no file', ['claude', '--hooks'], {}],
  ];

  test.each(CASES)('%s', async (_what, args, files) => {
    const cli = person(files);
    const [client = '', ...more] = args;
    const isPlugin = more.includes('--plugin') ? ['--plugin'] : [];
    await connect(cli, ...args, '--write', '--alias', 'first');
    await connect(cli, ...args, '--write', '--alias', 'second');
    await connect(cli, client, ...isPlugin, '--remove');
    expect(filesOf(cli)).toEqual(files);
    expect(withToken(ownFilesOf(cli))).toEqual([]);
  });

  test.each(CASES.filter(([what]) => what !== 'no file'))(
    '%s, and a change in between stays',
    async (_, args, files) => {
      const cli = person(files);
      const [client = '', ...more] = args;
      await connect(cli, ...args, '--write');
      const [changed = ''] = Object.keys(files);
      put(cli, changed, `${read(cli, changed)}${changed.endsWith('.toml') ? '# ' : '// '}later\n`);
      await connect(cli, client, ...(more.includes('--plugin') ? ['--plugin'] : []), '--remove');
      const left = filesOf(cli);
      expect(Object.keys(left).sort()).toEqual(Object.keys(files).sort());
      expect(left[changed]).toContain('later');
      for (const comment of ['// my settings', '// do not lose', '// I tried: foo', '/* keep */', '// mine'])
        expect(left[changed]?.includes(comment)).toBe(files[changed]?.includes(comment));
      const content = (text = '') => text.replace(/\s*\/\/.*|\/\*.*?\*\//g, '').replace(/,(?=\s*\})/g, '') || '{}';
      if (changed.endsWith('.json'))
        expect(objectIn(content(left[changed]))).toEqual(objectIn(content(files[changed])));
    },
  );
});

describe('--remove without a connection', () => {
  const CASES: readonly [client: string, args: readonly string[], files: Files, kept: string][] = [
    [
      'claude',
      [],
      { '.mcp.json': FOREIGN_JSON },
      'kept the server "hub", which was not written by agenthub connect, in ',
    ],
    ['codex', [], { '.codex/config.toml': FOREIGN_TOML }, 'kept the server "hub", which was not written by'],
    ['claude', [], { '.mcp.json': '{}', '.claude/settings.local.json': '{\n  // mine\n}' }, ''],
    ['claude', [], { '.claude/settings.local.json': '{"enabledMcpjsonServers":["hub"]}' }, 'kept "hub" in enabledMcp'],
    [
      'claude',
      ['--plugin'],
      { '.claude/settings.json': '{"permissions":{"allow":["mcp__plugin_agenthub_hub"]}}' },
      'kept',
    ],
    [
      'claude',
      ['--scope', 'user'],
      {
        '.claude/settings.json':
          '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"my-log.sh && agenthub wake --alias me"},' +
          '{"type":"command","command":"/opt/wrap.sh agenthub hook claude-code --alias me --url http://x"}]}]}}',
      },
      '',
    ],
    ['opencode', [], { '.config/opencode/plugins/agenthub.js': OWN_PLUGIN }, ''],
    ['gemini', [], { '.gemini/settings.json': '// mine\n' }, ''],
  ];
  test.each(CASES)('%s %j changes nothing: %j', async (client, args, files, kept) => {
    const cli = person(files);
    expect(await connect(cli, client, ...args, '--remove')).toContain(kept);
    expect(filesOf(cli)).toEqual(files);
  });
});

describe('--write refuses in one line, and changes nothing, if there is', () => {
  const CASES: readonly [what: string, args: readonly string[], files: Files, line: string][] = [
    ['another server', ['claude', '--hooks'], { '.mcp.json': FOREIGN_JSON }, 'rename or remove it'],
    ['another server in TOML', ['codex', '--hooks'], { '.codex/config.toml': FOREIGN_TOML }, 'rename or remove it'],
    [
      'another plugin',
      ['opencode', '--hooks'],
      { '.config/opencode/plugins/agenthub.js': OWN_PLUGIN },
      'another plugin',
    ],
    [
      'another token',
      ['claude', '--hooks'],
      { '.claude/settings.local.json': '{"env":{"HUB_TOKEN":"ntok_mine"}}' },
      'it sets env.HUB_TOKEN to another value',
    ],
    [
      'another input',
      ['vscode'],
      { '.vscode/mcp.json': '{"inputs":[{"id":"hub","type":"pickString"}]}' },
      'another input named "hub"',
    ],
    [
      'a string in place of a list of hooks',
      ['codex', '--hooks'],
      { '.codex/hooks.json': '{"hooks":{"Stop":"x"}}' },
      'hooks.json was not changed: hooks.Stop must be a list, but is a string; fix it',
    ],
    ['broken TOML', ['codex', '--hooks'], { '.codex/config.toml': 'model = "x\n[a' }, 'line 1 is not valid TOML'],
  ];
  test.each(CASES)('%s', async (_what, args, files, line) => {
    const cli = person(files);
    const { code, stdout, stderr } = await run(cli, ['connect', ...args, '--write']);
    expect({ code, stdout, stderr }).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(line) });
    expect(stderr).toMatch(/^agenthub: [^\n]+ was not changed: [^\n]+\n$/);
    expect(filesIn(cli)).toEqual(files);
  });
});

test('no file of a project has a backup or a token next to it', async () => {
  const cli = person({ '.claude/settings.local.json': '{"model":"opus"}' });
  const printed = await connect(cli, 'claude', '--hooks', '--write', '--alias', 'first');
  await connect(cli, 'claude', '--hooks', '--write', '--alias', 'second');
  expect(printed).toContain(`(backup: ${join(cli.home, OWN_DIRECTORY, 'connect-backups')}/`);
  expect(Object.keys(filesOf(cli)).sort()).toEqual(['.claude/settings.local.json', '.mcp.json']);
  expect(withToken(ownFilesOf(cli))).toEqual([`${OWN_DIRECTORY}/agents.json`]);
});

test('a file that got a token gets the permissions back that it had', async () => {
  const cli = person({ '.gemini/settings.json': '{"ui":{}}\n' });
  const file = join(cli.home, '.gemini/settings.json');
  const modeOf = () => statSync(file).mode & 0o777;
  chmodSync(file, 0o664);
  for (const hooks of [[], ['--hooks']]) await connect(cli, 'gemini', '--write', ...hooks);
  expect(modeOf()).toBe(0o600);
  await connect(cli, 'gemini', '--remove');
  expect(modeOf()).toBe(0o664);
});

test('a link to settings stays, with the text that its target had', async () => {
  const cli = person({ 'dotfiles/settings.json': '{}\n' });
  mkdirSync(join(cli.home, '.gemini'));
  symlinkSync('../dotfiles/settings.json', join(cli.home, '.gemini/settings.json'));
  await connect(cli, 'gemini', '--hooks', '--write');
  expect(read(cli, 'dotfiles/settings.json')).toContain('mcpServers');
  await connect(cli, 'gemini', '--remove');
  expect(lstatSync(join(cli.home, '.gemini/settings.json')).isSymbolicLink()).toBe(true);
  expect(read(cli, 'dotfiles/settings.json')).toBe('{}\n');
});

test('a server that two clients share stays until the last is removed', async () => {
  const cli = person();
  await connect(cli, 'claude', '--write');
  await connect(cli, 'copilot', '--scope', 'project', '--write');
  const shared = read(cli, '.mcp.json');
  expect(await connect(cli, 'copilot', '--scope', 'project', '--remove')).toContain(
    `kept ${join(cli.home, '.mcp.json')}, which claude/project still uses`,
  );
  expect(read(cli, '.mcp.json')).toBe(shared);
  await connect(cli, 'claude', '--remove');
  expect(filesOf(cli)).toEqual({});
});

test('another alias replaces the stored token of the first, unless a client in another directory uses it', async () => {
  const cli = person();
  mkdirSync(join(cli.home, 'parser'));
  const aliases = () => Object.keys(Object(objectIn(read(cli, `${OWN_DIRECTORY}/agents.json`))[url()]));
  const hooksOf = (alias: string) => ['--hooks', '--write', '--alias', alias];
  await outputOf(cli, ['connect', 'cursor', ...hooksOf('first')], { cwd: join(cli.home, 'parser') });
  for (const alias of ['first', 'second']) await connect(cli, 'gemini', ...hooksOf(alias));
  expect(aliases()).toEqual(['first', 'second']);
  await connect(cli, 'gemini', ...hooksOf('third'));
  expect(aliases()).toEqual(['first', 'third']);
});

test('an entry that connect wrote is removed with the members that were added to it later', async () => {
  const cli = person({ '.codex/config.toml': 'model = "x"\n' });
  await connect(cli, 'codex', '--write');
  put(cli, '.codex/config.toml', `${read(cli, '.codex/config.toml')}tool_timeout_sec = 600\n`);
  await connect(cli, 'codex', '--write');
  expect(read(cli, '.codex/config.toml')).toContain('tool_timeout_sec = 600');
  expect(await connect(cli, 'codex', '--remove')).toContain('(backup: ');
  expect(filesOf(cli)).toEqual({ '.codex/config.toml': 'model = "x"\n' });
});

test('an entry of an earlier version may get more members, which stay', async () => {
  const entry = (url: string) => `[mcp_servers.hub]\nurl = "${url}/mcp"\nbearer_token_env_var = "HUB_TOKEN"\n`;
  const cli = person({ '.codex/config.toml': entry('http://old') });
  await connect(cli, 'codex', '--scope', 'project', '--write');
  expect(read(cli, '.codex/config.toml')).toBe(`${entry(url())}default_tools_approval_mode = "approve"\n`);
  put(cli, '.codex/config.toml', `${entry('http://old')}tool_timeout_sec = 600\n`);
  await connect(cli, 'codex', '--scope', 'project', '--write');
  const written = read(cli, '.codex/config.toml');
  expect(written).toContain('tool_timeout_sec = 600');
  expect(await connect(cli, 'codex', '--scope', 'project', '--remove')).toContain('kept the server "hub"');
  expect(read(cli, '.codex/config.toml')).toBe(written);
});

describe('what a person adds to a file that connect created stays', () => {
  const settings = '.claude/settings.local.json';
  const addModel = (cli: AgentCli) => put(cli, settings, read(cli, settings).replace('{', '{\n  "model": "opus",'));

  test('when it is connected again before it is removed', async () => {
    const cli = person();
    await connect(cli, 'claude', '--hooks', '--write', '--alias', 'first');
    addModel(cli);
    for (const alias of ['second', 'third']) await connect(cli, 'claude', '--hooks', '--write', '--alias', alias);
    await connect(cli, 'claude', '--remove');
    expect(filesOf(cli)).toEqual({ [settings]: '{\n  "model": "opus"\n}\n' });
  });

  test('when one of two clients that share it is removed first', async () => {
    const cli = person();
    await connect(cli, 'claude', '--write');
    await connect(cli, 'copilot', '--scope', 'project', '--write');
    put(
      cli,
      '.mcp.json',
      read(cli, '.mcp.json').replace('{\n    "hub"', '{\n    "own": { "command": "x" },\n    "hub"'),
    );
    await connect(cli, 'copilot', '--scope', 'project', '--remove');
    await connect(cli, 'claude', '--remove');
    expect(objectIn(read(cli, '.mcp.json'))).toEqual({ mcpServers: { own: { command: 'x' } } });
  });
});

test('the permissions of the plugin and of a connection in one file are removed one by one', async () => {
  const cli = person();
  const permissions = () => objectIn(read(cli, '.claude/settings.json'))['permissions'];
  await connect(cli, 'claude', '--plugin', '--write');
  await connect(cli, 'claude', '--scope', 'user', '--hooks', '--write');
  expect(permissions()).toEqual({ allow: ['mcp__plugin_agenthub_hub', 'mcp__hub'] });
  await connect(cli, 'claude', '--plugin', '--remove');
  expect(permissions()).toEqual({ allow: ['mcp__hub'] });
  await connect(cli, 'claude', '--scope', 'user', '--remove');
  expect(filesOf(cli)).toEqual({});
});
