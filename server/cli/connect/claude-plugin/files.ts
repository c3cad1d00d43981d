// The files of the plugin for Claude Code: the hub as MCP server, hooks, the wake-up, a skill and a command. They are a
// marketplace of one plugin, since Claude Code installs from marketplaces only; it runs the plugin from this directory.
import { claudeHandlers } from '../../../domain/clients/claude.ts';
import { authorization, SERVER } from '../../../domain/clients/setup.ts';
import { VERSION } from '../../../version.ts';
import inbox from './inbox.txt' with { type: 'text' };
import skill from './skill.txt' with { type: 'text' };

/** Also the name of the marketplace. */
export const PLUGIN = 'agenthub';

/** Lets Claude Code call the tools of the plugin's hub without asking. */
export const PLUGIN_PERMISSION = `mcp__plugin_${PLUGIN}_${SERVER}`;

/** Below the directory of a plugin. */
export const MANIFEST = '.claude-plugin/plugin.json';

const DESCRIPTION = 'Tasks and messages between coding agents, through your own hub';

/** Paths relative to the directory of the marketplace. `program` starts agenthub. */
export function pluginFiles(program: readonly string[], url: string): Readonly<Record<string, string>> {
  const inPlugin = {
    [MANIFEST]: json({ name: PLUGIN, version: VERSION, description: DESCRIPTION, userConfig: configuration(url) }),
    '.mcp.json': json({ mcpServers: { [SERVER]: HUB } }),
    'hooks/hooks.json': json({ hooks: hooks(program) }),
    'skills/agenthub/SKILL.md': skill,
    'commands/inbox.md': inbox,
  };
  return {
    '.claude-plugin/marketplace.json': json({
      name: PLUGIN,
      owner: { name: PLUGIN },
      description: DESCRIPTION,
      plugins: [{ name: PLUGIN, source: `./${PLUGIN}`, description: DESCRIPTION }],
    }),
    ...Object.fromEntries(Object.entries(inPlugin).map(([file, text]) => [`${PLUGIN}/${file}`, text])),
  };
}

function configuration(url: string) {
  return {
    hub_url: { type: 'string', title: 'Hub', description: 'address of the hub', default: url, required: true },
    hub_token: { type: 'string', title: 'Token', description: 'network token', sensitive: true, required: true },
    alias: {
      type: 'string',
      title: 'Alias',
      description: 'alias of the agent; if empty, each project has its own, named after its directory',
    },
  };
}

/** Claude Code inserts the values of the configuration, and keeps the token in its credential store. */
const HUB = {
  type: 'http',
  url: '${user_config.hub_url}/mcp',
  headers: authorization('${user_config.hub_token}'),
};

/** The commands take the hub, the token and the alias from their environment, which has the configuration. */
function hooks([command = '', ...first]: readonly string[]) {
  const handlers = claudeHandlers((...words) => ({ command, args: [...first, ...words] }), { greets: true });
  return Object.fromEntries(Object.entries(handlers).map(([event, own]) => [event, [{ hooks: own }]]));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
