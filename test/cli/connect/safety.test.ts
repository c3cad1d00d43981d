// What `agenthub connect` refuses and what it keeps, as a person sees it: one line that says what to do, and no damage.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODEX } from '../../../server/domain/clients/codex.ts';
import { type AgentCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { sharedHub } from '../../support/process/shared-hub.ts';

const { person } = sharedHub(ANY_TARGET);

function write({ home }: AgentCli, path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function refusal(cli: AgentCli, args: readonly string[], code = 1): Promise<string> {
  const ended = await run(cli, ['connect', ...args]);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^agenthub: [^\n]+\n$/) });
  return ended.stderr;
}

describe('connect changes nothing if', () => {
  test('one of several files cannot be written', async () => {
    const cli = person();
    write(cli, '.claude', 'a file in place of the directory');
    expect(await refusal(cli, ['claude', '--hooks', '--write'])).toContain(
      `nothing was changed, because ${join(cli.home, '.claude/settings.local.json')} cannot be written`,
    );
    expect(readdirSync(cli.home)).toEqual(['.claude']);
  });

  test('a file cannot be read', async () => {
    const cli = person();
    mkdirSync(join(cli.home, '.cursor/mcp.json'), { recursive: true });
    expect(await refusal(cli, ['cursor', '--write'])).toContain(`cannot read ${join(cli.home, '.cursor/mcp.json')}`);
  });

  test.each([
    ['codex', '.codex/config.toml', '# J\xf6rg\n'],
    ['codex', '.codex/hooks.json', '{"by":"J\xf6rg"}\n'],
    ['gemini', '.gemini/settings.json', '{"by":"J\xf6rg"}\n'],
    ['claude', '.claude/settings.local.json', '{"by":"J\xf6rg"}\n'],
    ['copilot', '.copilot/permissions-config.json', '{"by":"J\xf6rg"}\n'],
    ['opencode', '.config/opencode/plugins/agenthub.js', '// J\xf6rg\n'],
  ])('a file of %s is not UTF-8: %s', async (client, path, text) => {
    const cli = person();
    const file = write(cli, path, '');
    writeFileSync(file, text, 'latin1');
    for (const option of ['--write', '--remove'])
      expect(await refusal(cli, [client, '--hooks', option])).toContain(
        `${file} was not changed: it is not valid UTF-8; convert it to UTF-8, and run this again`,
      );
    expect(readFileSync(file, 'latin1')).toBe(text);
    expect(existsSync(join(cli.home, '.config/agenthub'))).toBe(false);
  });

  test('the tokens of agents cannot be read', async () => {
    const cli = person();
    const tokens = write(cli, '.config/agenthub/agents.json', 'oops');
    expect(await refusal(cli, ['codex', '--hooks', '--write'])).toContain(
      `cannot read ${tokens}; delete it, and run agenthub connect again`,
    );
    expect(existsSync(join(cli.home, '.codex'))).toBe(false);
  });

  test('the client has no hooks, or is unknown', async () => {
    const cli = person();
    expect(await refusal(cli, ['vscode', '--hooks', '--write'], 2)).toContain('VS Code has no hooks; omit --hooks');
    expect(await refusal(cli, ['codx', '--hooks', '--write'], 2)).toContain(
      'Allowed choices are claude, codex, gemini',
    );
    expect(readdirSync(cli.home)).toEqual([]);
  });
});

describe('connect without --write prints what to add by hand, with a warning, if', () => {
  test.each([
    ['a file is not JSON', 'gemini', '.gemini/settings.json', 'not [ json', 'line 1 has an unexpected "n"'],
    ['a file is not TOML', 'codex', '.codex/config.toml', 'a = [', 'line 1 is not valid TOML'],
    ['a file is not UTF-8', 'gemini', '.gemini/settings.json', '"J\xf6rg"', 'it is not valid UTF-8'],
    ['hooks are not JSON', 'codex', '.codex/hooks.json', 'not [ json', 'line 1 has an unexpected "n"'],
    ['there is another server', 'cursor', '.cursor/mcp.json', '{"mcpServers":{"hub":{}}}', 'it has another server'],
  ])('%s', async (_why, client, path, text, reason) => {
    const cli = person();
    const file = write(cli, path, '');
    writeFileSync(file, text, 'latin1');
    const { code, stdout, stderr } = await run(cli, ['connect', client, '--hooks']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^agenthub: [^\n]+\n$/) });
    expect(stderr).toContain(`--write would refuse this: ${file} was not changed: ${reason}`);
    expect(stdout).toContain(`In ${file}:\n\n  `);
    expect(readFileSync(file, 'latin1')).toBe(text);
  });
});

describe('a file of another client that cannot be read', () => {
  test('stops nothing, and only keeps the tokens that it may use', async () => {
    const cli = person();
    const unreadable = join(cli.home, '.gemini/settings.json');
    mkdirSync(unreadable, { recursive: true });
    const tokens = join(cli.home, '.config/agenthub/agents.json');
    for (const client of ['copilot', 'qwen']) {
      const connect = (...args: string[]) => run(cli, ['connect', client, ...args]);
      expect(await connect('--write')).toMatchObject({ code: 0, stderr: '' });
      expect(await connect('--write', '--hooks', '--alias', 'builder-1')).toMatchObject({ code: 0, stderr: '' });
      for (const args of [['--write', '--hooks', '--alias', 'builder-2'], ['--remove']]) {
        const alias = args.at(3) === undefined ? 'builder-2' : 'builder-1';
        expect(await connect(...args)).toMatchObject({
          code: 0,
          stderr: `agenthub: kept the stored token of ${alias}, because ${unreadable} cannot be read and may use it\n`,
        });
        expect(readFileSync(tokens, 'utf8')).toContain(alias);
      }
    }
  });
});

describe('connect --remove', () => {
  test('leaves no part of the hub to Codex, not even what Codex added to it', async () => {
    const cli = person();
    await outputOf(cli, ['connect', 'codex', '--write']);
    const file = join(cli.home, '.codex/config.toml');
    writeFileSync(
      file,
      `model = "x"\n\n${readFileSync(file, 'utf8')}\n[mcp_servers.hub.tools.get_inbox]\napproval_mode = "approve"\n`,
    );
    await outputOf(cli, ['connect', 'codex', '--remove']);
    expect(readFileSync(file, 'utf8')).toBe('model = "x"\n');
  });

  test('keeps the token of an agent that another client still uses', async () => {
    const cli = person();
    const tokens = join(cli.home, '.config/agenthub/agents.json');
    for (const client of ['codex', 'gemini'])
      await outputOf(cli, ['connect', client, '--hooks', '--write', '--alias', 'builder']);
    await outputOf(cli, ['connect', 'codex', '--remove']);
    expect(readFileSync(tokens, 'utf8')).toContain('builder');
    await outputOf(cli, ['connect', 'gemini', '--remove']);
    expect(existsSync(tokens)).toBe(false);
  });

  test('keeps a plugin of OpenCode that a person wrote', async () => {
    const cli = person();
    const plugin = write(cli, '.config/opencode/plugins/agenthub.js', 'export const Mine = async () => ({});\n');
    expect(await outputOf(cli, ['connect', 'opencode', '--remove'])).toContain('has no configuration for a hub here');
    expect(existsSync(plugin)).toBe(true);
  });
});

describe('connect copilot', () => {
  const TOOLS = { kind: 'mcp', serverName: 'hub', toolName: null };
  const approvalsIn = (text: string): unknown => JSON.parse(text).locations;

  test('lets it use the hub in this repository without asking, once, and keeps what a person allowed', async () => {
    const cli = person();
    const own = { kind: 'commands', commandIdentifiers: ['make'] };
    const repository = join(cli.home, 'repository');
    mkdirSync(join(repository, '.git'), { recursive: true });
    mkdirSync(join(repository, 'src'));
    const before = JSON.stringify({ locations: { [repository]: { tool_approvals: [own] } } }, null, 2);
    const file = write(cli, '.copilot/permissions-config.json', before);
    const connect = (...args: string[]) =>
      outputOf(cli, ['connect', 'copilot', ...args], { cwd: join(repository, 'src') });
    await connect('--write');
    expect(approvalsIn(readFileSync(file, 'utf8'))).toEqual({ [repository]: { tool_approvals: [own, TOOLS] } });
    await connect('--hooks', '--write');
    await connect('--hooks', '--write');
    // Not the program: some of its commands run others.
    expect(approvalsIn(readFileSync(file, 'utf8'))).toEqual({ [repository]: { tool_approvals: [own, TOOLS] } });
    await connect('--remove');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('uses the directory itself outside of a repository, and leaves no file behind', async () => {
    const cli = person();
    const file = join(cli.home, '.copilot/permissions-config.json');
    await outputOf(cli, ['connect', 'copilot', '--write']);
    expect(approvalsIn(readFileSync(file, 'utf8'))).toEqual({ [cli.home]: { tool_approvals: [TOOLS] } });
    await outputOf(cli, ['connect', 'copilot', '--remove']);
    expect(existsSync(file)).toBe(false);
  });

  test('changes nothing if the approvals are not JSON', async () => {
    const cli = person();
    const file = write(cli, '.copilot/permissions-config.json', 'oops');
    expect(await refusal(cli, ['copilot', '--write'])).toContain(`${file} was not changed: line 1 has an unexpected`);
    expect(readFileSync(file, 'utf8')).toBe('oops');
    expect(existsSync(join(cli.home, '.copilot/mcp-config.json'))).toBe(false);
  });
});

describe('an installed client', () => {
  function install(cli: AgentCli, version: string): AgentCli {
    const program = write(cli, 'bin/codex', `#!/bin/sh\necho "codex-cli ${version}"\n`);
    chmodSync(program, 0o755);
    return { ...cli, env: { ...cli.env, PATH: `${dirname(program)}:${cli.env['PATH']}` } };
  }

  test.each([
    ['0.98.0', true],
    ['0.169.0', false],
    ['0.1690.0', false],
    ['1.0.0', false],
  ])('of version %s: whether it may not run the hooks is said: %s', async (version, isOld) => {
    const { stderr } = await run(install(person(), version), ['connect', 'codex', '--hooks', '--write']);
    expect(stderr).toBe(
      isOld
        ? `agenthub: Codex CLI ${version} is older than ${CODEX.program.version}, with which its hooks are tested; update it if new mail is not announced\n`
        : '',
    );
  });
});
