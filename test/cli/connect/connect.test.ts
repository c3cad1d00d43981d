// Connecting MCP clients: the printed configuration works, written entries keep existing content, and no file changes
// if the hub does not respond.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withHooks } from '../../../server/cli/connect/hook-entries.ts';
import { CLAUDE } from '../../../server/domain/clients/claude.ts';
import { CONNECT_NAMES } from '../../../server/domain/clients/clients.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { openProxy } from '../../support/http/plain-proxy.ts';
import { objectIn, objectOf } from '../../support/json.ts';
import { type Cli, cliFor, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { sharedHub } from '../../support/process/shared-hub.ts';
import { readmeBlock } from '../../support/readme.ts';

function directory(cli: Cli, path: string, text: string): string {
  const file = join(cli.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o644 });
  return file;
}

const read = (cli: Cli, path: string): string => readFileSync(join(cli.home, path), 'utf8');

/** The files of each client, in a home directory that is also the working directory. */
const FILES: readonly [client: string, scope: string, file: string][] = [
  ['claude', 'project', '.mcp.json'],
  ['claude', 'user', '.claude.json'],
  ['codex', 'project', '.codex/config.toml'],
  ['codex', 'user', '.codex/config.toml'],
  ['gemini', 'project', '.gemini/settings.json'],
  ['gemini', 'user', '.gemini/settings.json'],
  ['qwen', 'project', '.qwen/settings.json'],
  ['qwen', 'user', '.qwen/settings.json'],
  ['copilot', 'project', '.mcp.json'],
  ['copilot', 'user', '.copilot/mcp-config.json'],
  ['opencode', 'project', 'opencode.json'],
  ['opencode', 'user', '.config/opencode/opencode.json'],
  ['cursor', 'project', '.cursor/mcp.json'],
  ['cursor', 'user', '.cursor/mcp.json'],
  ['vscode', 'project', '.vscode/mcp.json'],
  ['vscode', 'user', '.config/Code/User/mcp.json'],
];

storyOnce('connecting a client', (target) => {
  test('prints what to paste, and verifies that the hub responds', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const printed = await outputOf(cli, ['connect', 'claude', '--alias', 'reviewer']);
    expect(printed).toContain(
      `claude mcp add --transport http hub ${hub.url}/mcp --header "Authorization: Bearer ${cli.account.networkToken}"`,
    );
    expect(printed).toContain('agenthub connect claude --alias reviewer --write writes this');
    expect(printed).toMatch(new RegExp(`round trip to ${hub.url}: \\d+ tools listed\n`));
    expect(readdirSync(cli.home)).toEqual([]);
    expect(await outputOf(cli, ['status'])).not.toContain('reviewer');
    const written = await outputOf(cli, ['connect', 'claude', '--alias', 'reviewer', '--write']);
    expect(written).toMatch(/\d+ tools listed, report_status as reviewer succeeded \(0 in its inbox\)/);
    expect(await outputOf(cli, ['status'])).toMatch(/^reviewer +offline/m);
  });

  test('the line of the README connects Claude Code', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const line = readmeBlock('Coding agents', 'sh').trim();
    const args = /^AGENTHUB_TOKEN=\$HUB_TOKEN \.\/dist\/agenthub (.+)$/.exec(line)?.[1]?.split(' ') ?? [];
    expect(await outputOf(cli, args)).toContain(`wrote ${join(cli.home, '.claude/settings.local.json')}`);
  });

  test('uses the public URL if it is reachable, and prints a note if it is not', async () => {
    const proxy = await openProxy({});
    const { hub, ...ada } = await hubOfAda({ target, args: ['--public-url', proxy.url] });
    const cli = cliFor(hub, target, ada);
    expect((await run(cli, ['connect', 'codex'])).stderr).toMatch(
      new RegExp(
        `^agenthub: the public URL of this hub, ${proxy.url}, is not reachable from this machine; using ${hub.url} instead\n$`,
      ),
    );
    proxy.leadTo(hub.url);
    const { stdout, stderr } = await run(cli, ['connect', 'codex']);
    expect(stderr).toBe('');
    expect(stdout).toContain(`codex mcp add hub --url ${proxy.url}/mcp`);
    expect(stdout).toContain(`round trip to ${proxy.url}: `);
    expect(stdout).not.toContain(hub.url);
  });

  test('does not change the status of an existing agent', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const agent = mcpClient(hub.url, cli.account.networkToken);
    await agent.call('report_status', {
      resume_id: 'r-1',
      alias: 'codex',
      status: 'working',
      task: 'lifting',
      progress: 40,
    });
    await outputOf(cli, ['connect', 'codex', '--write']);
    expect(await agent.call('get_session_status', { alias: 'codex' })).toMatchObject({
      session: { resume_id: 'r-1', status: 'working', task: 'lifting', progress: 40 },
    });
  });
});

test('the table of files has every client', () => {
  expect(new Set(FILES.map(([client]) => client))).toEqual(new Set(CONNECT_NAMES));
});

// One shared hub for the tests of files.
const { url, person } = sharedHub(ANY_TARGET);

describe('writing', () => {
  test.each(FILES)('%s for the %s writes %s, and a second run changes nothing', async (client, scope, file) => {
    const cli = person();
    const token = cli.account.networkToken;
    const connect = ['connect', client, '--scope', scope, '--write'];
    const printed = await outputOf(cli, connect);
    expect(printed).toContain(`wrote ${join(cli.home, file)}\n`);
    const text = read(cli, file);
    expect(text).toContain(`${url()}/mcp`);
    expect(text.includes(token)).toBe(scope === 'user');
    expect(printed.includes(token)).toBe(scope === 'project');
    if (scope === 'user') expect(statSync(join(cli.home, file)).mode & 0o077).toBe(0);
    await outputOf(cli, connect);
    expect(read(cli, file)).toBe(text);
    expect(readdirSync(dirname(join(cli.home, file))).filter((name) => name.includes('backup'))).toEqual([]);
  });

  test('the Claude Code hooks keep other hooks, and a second run replaces its own', async () => {
    const cli = person();
    const mine = { matcher: 'Bash', hooks: [{ type: 'command', command: 'echo mine' }] };
    directory(
      cli,
      '.claude/settings.local.json',
      JSON.stringify({ model: 'opus', hooks: { Stop: [mine], PreToolUse: [mine] } }, null, 4),
    );
    await outputOf(cli, ['connect', 'claude', '--write', '--hooks', '--alias', '小明']);
    await outputOf(cli, ['connect', 'claude', '--write', '--hooks', '--alias', 'reviewer 1']);
    const notify = {
      type: 'http',
      url: `${url()}/hooks/claude-code?alias=reviewer%201`,
      headers: { Authorization: 'Bearer $HUB_TOKEN' },
      allowedEnvVars: ['HUB_TOKEN'],
      timeout: 5,
    };
    const command = {
      type: 'command',
      command: expect.stringMatching(/ hook claude-code --alias 'reviewer 1' --url http:\S+$/),
      timeout: 30,
    };
    const wake = {
      type: 'command',
      command: expect.stringMatching(/ wake --alias 'reviewer 1' --url http:\S+$/),
      asyncRewake: true,
      rewakeSummary: 'agenthub: new mail',
      timeout: 86_400,
    };
    expect(objectIn(read(cli, '.claude/settings.local.json'))).toEqual({
      model: 'opus',
      hooks: {
        Stop: [mine, { hooks: [notify] }],
        PreToolUse: [mine],
        UserPromptSubmit: [{ hooks: [command, wake] }],
        PostToolUse: [{ hooks: [notify] }],
        StopFailure: [{ hooks: [notify] }],
        SessionEnd: [{ hooks: [notify] }],
        SessionStart: [{ hooks: [wake] }],
      },
      permissions: { allow: ['mcp__hub'] },
      enabledMcpjsonServers: ['hub'],
      env: { HUB_TOKEN: cli.account.networkToken },
    });
    expect(statSync(join(cli.home, '.claude/settings.local.json')).mode & 0o077).toBe(0);
    expect(readdirSync(join(cli.home, '.claude'))).toEqual(['settings.local.json']);
  });

  // Claude Code refuses to send http hooks to a private address.
  test.each([
    ['http://127.0.0.1:4747', 'http'],
    ['http://[::1]:4747', 'http'],
    ['http://hub.example.org:4747', 'command'],
    ['https://hub.example.org', 'command'],
  ])('the Claude Code hooks for %s are of type %s', (url, type) => {
    const agent = { url, token: person().account.networkToken, scope: 'project', alias: 'builder' } as const;
    const { hooks } = objectIn(withHooks('', CLAUDE.hooks.installation, agent));
    const tool: unknown = Object(hooks).PostToolUse;
    expect(tool).toMatchObject([{ hooks: [{ type }] }]);
    expect(JSON.stringify(tool)).toContain(
      type === 'http' ? `${url}/hooks/claude-code?alias=builder` : `hook claude-code --alias builder --url ${url}`,
    );
  });

  test('a value of HUB_TOKEN that a person has set stays when the hub is removed', async () => {
    const cli = person();
    const before = '{\n  "env": { "HUB_TOKEN": "$MY_TOKEN" }\n}\n';
    directory(cli, '.claude/settings.local.json', before);
    await outputOf(cli, ['connect', 'claude', '--remove']);
    expect(read(cli, '.claude/settings.local.json')).toBe(before);
  });

  const CODEX_EVENTS = ['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd', 'Interrupt', 'SessionStart'];
  const HOOK_FILES: readonly [client: string, file: string, events: readonly string[]][] = [
    ['codex', '.codex/hooks.json', CODEX_EVENTS],
    ['gemini', '.gemini/settings.json', ['BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd']],
    ['qwen', '.qwen/settings.json', ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd']],
    [
      'copilot',
      '.copilot/hooks/agenthub.json',
      ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'],
    ],
    ['cursor', '.cursor/hooks.json', ['beforeSubmitPrompt', 'postToolUse', 'stop', 'sessionEnd']],
  ];

  test.each(HOOK_FILES)(
    'the hooks of %s run this program, with the token in a file of the owner',
    async (client, file, events) => {
      const cli = person();
      const scope = ['--scope', 'user', '--alias', 'builder'];
      const version = ['copilot', 'cursor'].includes(client) ? ',\n  "version": 1' : '';
      const before = `{\n  // mine\n  "hooks": {\n    "${events[0]}": [{ "command": "echo mine" }]\n  }${version}\n}\n`;
      directory(cli, file, before);
      for (let time = 0; time < 2; time++) await outputOf(cli, ['connect', client, '--write', '--hooks', ...scope]);
      const text = read(cli, file);
      expect(text).toContain('// mine');
      expect(text.includes(cli.account.networkToken)).toBe(['gemini', 'qwen'].includes(client)); // next to the server
      const hooks = objectOf(objectIn(text.replace('// mine', '')), 'hooks');
      expect(Object.keys(hooks)).toEqual(events);
      for (const [index, event] of events.entries()) {
        const own: unknown[] = Array.isArray(hooks[event]) ? hooks[event] : [];
        expect(own).toHaveLength(index === 0 ? 2 : 1);
        const word = client === 'codex' && event === 'SessionStart' ? 'wake' : `hook ${client}`;
        expect(JSON.stringify(own.at(-1))).toMatch(new RegExp(` ${word} .*--alias builder --url ${url()}`));
      }
      const tokens = join(cli.home, '.config/agenthub/agents.json');
      expect(JSON.parse(readFileSync(tokens, 'utf8'))).toEqual({ [url()]: { builder: cli.account.networkToken } });
      expect(statSync(tokens).mode & 0o077).toBe(0);
      await outputOf(cli, ['connect', client, '--remove', '--scope', 'user']);
      expect(read(cli, file)).toBe(before);
      expect(existsSync(tokens)).toBe(false);
    },
  );

  test('Qwen Code may start the waiter without asking, and keeps its other permissions', async () => {
    const cli = person();
    const before = '{\n  "permissions": { "allow": ["Bash(git *)", "Bash(alarm wake *)"] }\n}\n';
    directory(cli, '.qwen/settings.json', before);
    const connect = ['connect', 'qwen', '--write', '--hooks'];
    for (let time = 0; time < 2; time++) await outputOf(cli, connect);
    const { permissions } = objectIn(read(cli, '.qwen/settings.json'));
    expect(permissions).toEqual({
      allow: ['Bash(git *)', 'Bash(alarm wake *)', expect.stringMatching(/^Bash\(\S.* wake --session \*\)$/)],
    });
    await outputOf(cli, ['connect', 'qwen', '--remove']);
    expect(objectIn(read(cli, '.qwen/settings.json'))).toEqual(objectIn(before));
  });

  test('the plugin of OpenCode has the address and the alias, but not the token', async () => {
    const cli = person();
    await outputOf(cli, ['connect', 'opencode', '--write', '--hooks', '--alias', "o'neill"]);
    const plugin = read(cli, '.config/opencode/plugins/agenthub.js');
    expect(plugin).toContain(JSON.stringify({ url: url(), alias: "o'neill" }));
    expect(plugin).not.toContain(cli.account.networkToken);
    expect(existsSync(join(cli.home, '.config/agenthub/agents.json'))).toBe(true);
    await outputOf(cli, ['connect', 'opencode', '--remove']);
    expect(existsSync(join(cli.home, '.config/agenthub/agents.json'))).toBe(false);
    expect(existsSync(join(cli.home, '.config/opencode/plugins/agenthub.js'))).toBe(false);
    expect(existsSync(join(cli.home, '.config/opencode/opencode.json'))).toBe(false);
  });

  test.each(FILES)(
    '%s in scope %s: what was written into %s is taken back, and nothing else',
    async (client, scope, file) => {
      const cli = person();
      const before = file.endsWith('.toml')
        ? '# mine\nmodel = "x"\n\n[mcp_servers.other]\nurl = "http://127.0.0.1:1"\n'
        : '{\n  // mine\n  "theme": "dark",\n  "other": { "a": [1, 2] }\n}\n';
      directory(cli, file, before);
      await outputOf(cli, ['connect', client, '--write', '--scope', scope]);
      expect(read(cli, file)).not.toBe(before);
      expect(await outputOf(cli, ['connect', client, '--remove', '--scope', scope])).toContain(`removed the hub from`);
      expect(read(cli, file)).toBe(before);
      expect(await outputOf(cli, ['connect', client, '--remove', '--scope', scope])).toContain(
        'has no configuration for a hub here',
      );
    },
  );

  test('everything that Claude Code got is taken back, and an empty file goes', async () => {
    const cli = person();
    await outputOf(cli, ['connect', 'claude', '--write', '--hooks']);
    await outputOf(cli, ['connect', 'claude', '--remove']);
    expect(existsSync(join(cli.home, '.mcp.json'))).toBe(false);
    expect(existsSync(join(cli.home, '.claude/settings.local.json'))).toBe(false);
  });

  test('keeps comments, order and other entries of a JSON file, follows a link, and creates a backup', async () => {
    const cli = person();
    const before =
      '{\n\t// mine\n\t"servers": {\n\t\t"other": { "url": "http://x" }, // keep\n\t},\n\t"inputs": [ { "id": "other" } ]\n}\n';
    const real = directory(cli, 'dotfiles/mcp.json', before);
    mkdirSync(join(cli.home, '.vscode'));
    symlinkSync(real, join(cli.home, '.vscode', 'mcp.json'));
    const printed = await outputOf(cli, ['connect', 'vscode', '--write']);
    expect(read(cli, 'dotfiles/mcp.json')).toBe(
      `{\n\t// mine\n\t"servers": {\n\t\t"other": { "url": "http://x" },\n\t\t"hub": {\n\t\t\t"type": "http",\n\t\t\t"url": "${url()}/mcp",\n\t\t\t"headers": {\n\t\t\t\t"Authorization": "Bearer \${input:hub}"\n\t\t\t}\n\t\t} // keep\n\t},\n\t"inputs": [ { "id": "other" }, {"type":"promptString","id":"hub","description":"agenthub token","password":true} ]\n}\n`,
    );
    const [, backup = ''] = /\(backup: (.+)\)/.exec(printed) ?? [];
    expect(dirname(backup)).toBe(join(cli.home, '.config/agenthub/connect-backups'));
    expect(readFileSync(backup, 'utf8')).toBe(before);
    expect(statSync(real).mode & 0o777).toBe(0o644);
  });

  test('keeps the content of a TOML file', async () => {
    const cli = person();
    directory(
      cli,
      '.codex/config.toml',
      '# mine\nmodel = "o1"\n\n[mcp_servers.hub]\nurl = "http://old/mcp"\nbearer_token_env_var = "HUB_TOKEN"\n\n[mcp_servers.other]\ncommand = "x"\n',
    );
    await outputOf(cli, ['connect', 'codex', '--write']);
    expect(read(cli, '.codex/config.toml')).toBe(
      `# mine\nmodel = "o1"\n\n[mcp_servers.hub]\nurl = "${url()}/mcp"\nhttp_headers = { Authorization = "Bearer ${cli.account.networkToken}" }\ndefault_tools_approval_mode = "approve"\n\n[mcp_servers.other]\ncommand = "x"\n`,
    );
  });
});

describe('does not change', () => {
  const KEPT: readonly [why: string, client: string, file: string, text: string, line: string][] = [
    [
      'a file that is not JSON',
      'cursor',
      '.cursor/mcp.json',
      '{ "mcpServers": \n oops',
      'was not changed: line 2 has an unexpected "o"',
    ],
    [
      'a server of that name that runs a program',
      'claude',
      '.mcp.json',
      '{"mcpServers":{"hub":{"command":"x"}}}',
      'it has another server named "hub"',
    ],
    [
      'a value instead of an object',
      'gemini',
      '.gemini/settings.json',
      '{"mcpServers": 1}',
      'settings.json was not changed: mcpServers must be an object, but is a number; fix it',
    ],
    [
      'a list instead of an object',
      'gemini',
      '.gemini/settings.json',
      '[1]',
      'settings.json was not changed: its content must be an object, but is a list; fix it',
    ],
    [
      'an unsupported form of TOML',
      'codex',
      '.codex/config.toml',
      'mcp_servers.hub = { url = "http://x/mcp", bearer_token_env_var = "HUB_TOKEN" }\n',
      'in a form that agenthub does not edit',
    ],
  ];
  test.each(KEPT)('%s', async (_why, client, path, text, line) => {
    const cli = person();
    directory(cli, path, text);
    const { code, stdout, stderr } = await run(cli, ['connect', client, '--write']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^agenthub: [^\n]+\n$/);
    expect(stderr).toContain(line);
    expect(read(cli, path)).toBe(text);
    expect(readdirSync(dirname(join(cli.home, path)))).toHaveLength(1);
  });

  test('any file if the hub does not respond or rejects the token', async () => {
    const stopping = await startHub({ target: ANY_TARGET });
    const bad = newCli(ANY_TARGET, {
      AGENTHUB_URL: stopping.url,
      AGENTHUB_TOKEN: 'ntok_00000000000000000000000000000000000f',
    });
    expect(await run(bad, ['connect', 'claude', '--write', '--hooks'])).toMatchObject({ code: 4 });
    expect(readdirSync(bad.home)).toEqual([]);
    await stopping.stop();
    expect(await run(bad, ['connect', 'claude', '--write', '--hooks'])).toMatchObject({ code: 3 });
    expect(readdirSync(bad.home)).toEqual([]);
  });
});
