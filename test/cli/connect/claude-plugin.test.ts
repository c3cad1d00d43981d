// The plugin for Claude Code: what is written and taken back, and what its hooks read from the configuration that
// Claude Code passes to them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '../../../server/version.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { objectIn } from '../../support/json.ts';
import { type AgentCli, type Cli, cliFor, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

const MARKETPLACE = '.config/agenthub/claude-plugin';
const PLUGIN = `${MARKETPLACE}/agenthub`;
const SETTINGS = '.claude/settings.json';
const PERMISSION = 'mcp__plugin_agenthub_hub';

const read = (cli: Cli, path: string): string => readFileSync(join(cli.home, path), 'utf8');

function writeSettings(cli: Cli, text: string): void {
  mkdirSync(join(cli.home, '.claude'), { recursive: true });
  writeFileSync(join(cli.home, SETTINGS), text);
}

storyOnce('the plugin for Claude Code', (target) => {
  async function agentCli(): Promise<AgentCli & { url: string }> {
    const { hub, ...account } = await hubOfAda({ target });
    return { ...cliFor(hub, target, account), url: hub.url };
  }

  test('is printed without --write, and nothing is written', async () => {
    const cli = await agentCli();
    const printed = await outputOf(cli, ['connect', 'claude', '--plugin', '--alias', 'my builder']);
    expect(printed).toContain(
      `claude plugin install agenthub --marketplace ${join(cli.home, MARKETPLACE)} --config hub_url=${cli.url} ` +
        `--config hub_token=${cli.account.networkToken} --config 'alias=my builder'`,
    );
    expect([existsSync(join(cli.home, MARKETPLACE)), existsSync(join(cli.home, SETTINGS))]).toEqual([false, false]);
  });

  test('has the hub, the hooks, the wake-up, a skill and a command, and no token', async () => {
    const cli = await agentCli();
    await outputOf(cli, ['connect', 'claude', '--plugin', '--write']);
    const { plugins } = objectIn(read(cli, `${MARKETPLACE}/.claude-plugin/marketplace.json`));
    expect(plugins).toMatchObject([{ name: 'agenthub', source: './agenthub' }]);
    const manifest = objectIn(read(cli, `${PLUGIN}/.claude-plugin/plugin.json`));
    expect(manifest).toMatchObject({ name: 'agenthub', version: VERSION });
    expect(manifest).toHaveProperty('userConfig.hub_token.sensitive', true);
    expect(manifest).toHaveProperty('userConfig.hub_url.default', cli.url);
    const { hooks } = objectIn(read(cli, `${PLUGIN}/hooks/hooks.json`));
    expect(Object.keys(hooks as object)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PostToolUse',
      'Stop',
      'StopFailure',
      'SessionEnd',
    ]);
    expect(hooks).toHaveProperty('UserPromptSubmit.0.hooks.1.asyncRewake', true);
    expect(hooks).not.toHaveProperty('Stop.0.hooks.1');
    for (const file of ['.mcp.json', 'skills/agenthub/SKILL.md', 'commands/inbox.md'])
      expect(read(cli, `${PLUGIN}/${file}`)).not.toContain(cli.account.networkToken);
    expect(objectIn(read(cli, SETTINGS))).toEqual({ permissions: { allow: [PERMISSION] } });
  });

  test('settings of a person stay, and --remove takes back exactly what was written', async () => {
    const cli = await agentCli();
    const before = '{\n  // mine\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n';
    writeSettings(cli, before);
    await outputOf(cli, ['connect', 'claude', '--plugin', '--write']);
    await outputOf(cli, ['connect', 'claude', '--plugin', '--write']); // an update
    expect(read(cli, SETTINGS)).toContain(`["Bash(ls)", "${PERMISSION}"]`);
    expect(await outputOf(cli, ['connect', 'claude', '--plugin', '--remove'])).toContain(
      'claude plugin uninstall agenthub@agenthub',
    );
    expect(read(cli, SETTINGS)).toBe(before);
    expect(existsSync(join(cli.home, MARKETPLACE))).toBe(false);
    expect(await outputOf(cli, ['connect', 'claude', '--plugin', '--remove'])).toContain(
      'has no plugin of agenthub here',
    );
  });

  test('nothing is written if the settings are not JSON', async () => {
    const cli = await agentCli();
    writeSettings(cli, '{ "permissions": ');
    const { code, stderr } = await run(cli, ['connect', 'claude', '--plugin', '--write']);
    expect(code).toBe(1);
    expect(stderr).toContain(`${join(cli.home, SETTINGS)} was not changed`);
    expect(existsSync(join(cli.home, MARKETPLACE))).toBe(false);
  });

  test('another client has none', async () => {
    const { code, stderr } = await run(newCli(target), ['connect', 'codex', '--plugin']);
    expect([code, stderr]).toEqual([2, 'agenthub: --plugin is for Claude Code; omit it for Codex CLI\n']);
  });

  /** As Claude Code runs them: with the configuration in the environment, and no other credentials. */
  function hooksOf({ url, account, home }: AgentCli & { url: string }, more: Record<string, string> = {}) {
    const cli = newCli(target, {
      CLAUDE_PLUGIN_OPTION_HUB_URL: `${url}/`,
      CLAUDE_PLUGIN_OPTION_HUB_TOKEN: account.networkToken,
      CLAUDE_PLUGIN_ROOT: join(home, PLUGIN),
      CLAUDE_PROJECT_DIR: '/src/parser',
      ...more,
    });
    return (name: string) =>
      outputOf(cli, ['hook', 'claude-code'], { input: JSON.stringify({ hook_event_name: name, session_id: 's-1' }) });
  }

  test('a session learns its alias at its start, and receives mail', async () => {
    const cli = await agentCli();
    await outputOf(cli, ['connect', 'claude', '--plugin', '--write']);
    const hook = hooksOf(cli);
    expect(objectIn(await hook('SessionStart'))).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Your alias at agenthub is "parser".' },
    });
    const agent = mcpClient(cli.url, cli.account.networkToken);
    await agent.call('send_task', { alias: 'parser', task: 'water the plants', from_session: 'boss' });
    expect(await hook('PostToolUse')).toContain('water the plants');
  });

  test('the alias of its configuration comes first', async () => {
    const cli = await agentCli();
    expect(await hooksOf(cli, { CLAUDE_PLUGIN_OPTION_ALIAS: 'builder' })('SessionStart')).toContain('builder');
  });

  test('a plugin of another version offers its update', async () => {
    const cli = await agentCli();
    await outputOf(cli, ['connect', 'claude', '--plugin', '--write']);
    const manifest = join(cli.home, PLUGIN, '.claude-plugin/plugin.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(VERSION, '0.0.1'));
    const { systemMessage } = objectIn(await hooksOf(cli)('SessionStart'));
    expect(systemMessage).toBe(
      `agenthub is now version ${VERSION}, its plugin is 0.0.1: run agenthub connect claude --plugin --write`,
    );
  });
});
