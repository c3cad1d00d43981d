// Claude Code.
import {
  asContext,
  CLAUDE_MOMENTS,
  type Client,
  type Handler,
  HOOK_SECONDS,
  type HookedAgent,
  SESSION_START,
} from './client.ts';
import { authorization, SERVER, type Setup, TOKEN_VARIABLE } from './setup.ts';

export const CLAUDE_SETUP = {
  title: 'Claude Code',
  hook: 'claude-code',
  configuration: {
    format: 'json',
    scope: 'project',
    files: {
      user: '.claude.json',
      project: '.mcp.json',
    },
    root: 'mcpServers',
    entry: (url, token = '${HUB_TOKEN}') => ({ type: 'http', url: `${url}/mcp`, headers: authorization(token) }),
  },
  command: {
    line: (url, token) =>
      `claude mcp add --transport http ${SERVER} ${url}/mcp --header "Authorization: Bearer ${token}"`,
  },
  wake: { by: 'hooks' },
} as const satisfies Setup;

export const CLAUDE = {
  setup: CLAUDE_SETUP,
  program: { command: 'claude', version: '2.1.328' },
  moved: { directory: '.claude', variable: 'CLAUDE_CONFIG_DIR' },
  hooks: {
    moments: { ...CLAUDE_MOMENTS, StopFailure: 'interruption' },
    forms: { prompt: asContext, tool: asContext, 'turn end': asContext },
    maxExtensions: 8,
    installation: {
      layout: 'groups',
      files: {
        user: '.claude/settings.json',
        // The file that Claude Code keeps out of version control, because an alias belongs to one person.
        project: '.claude/settings.local.json',
      },
      handlers: (agent) =>
        claudeHandlers((...words) => ({ command: agent.line(...words) }), { notify: notifyHandler(agent) }),
      permissions: {
        user: [[['permissions', 'allow'], 'mcp__hub']],
        project: [
          [['permissions', 'allow'], 'mcp__hub'],
          [['enabledMcpjsonServers'], SERVER],
        ],
      },
      token: ['env', TOKEN_VARIABLE],
    },
  },
  readme: { wakes: 'in interactive sessions' },
} as const satisfies Client;

const DAY_SECONDS = 86_400;
const HTTP_SECONDS = 5;

/**
 * The handlers of each event, in the settings and in the plugin. `run` returns the members that start a command of
 * agenthub. The hook of the plugin also runs at the start of a session, to tell the model its alias.
 */
export function claudeHandlers(
  run: (...words: readonly string[]) => Handler,
  { notify, greets = false }: { notify?: Handler | undefined; greets?: boolean } = {},
): Readonly<Record<string, readonly Handler[]>> {
  const hook = { type: 'command', ...run('hook', CLAUDE_SETUP.hook), timeout: HOOK_SECONDS };
  const wake = {
    type: 'command',
    ...run('wake'),
    asyncRewake: true,
    rewakeSummary: 'agenthub: new mail',
    timeout: DAY_SECONDS,
  };
  const report = notify ?? hook;
  return {
    [SESSION_START]: greets ? [hook, wake] : [wake],
    // Of a refused http hook, the person would see only the status. Esc runs no hook, so the waiter must start before
    // the end of the turn. The turn that a waiter starts has this event as well.
    UserPromptSubmit: [hook, wake],
    PostToolUse: [report],
    Stop: [report],
    StopFailure: [report],
    SessionEnd: [report],
  };
}

/** Saves a process per tool call, but Claude Code sends none to private addresses of other machines. */
function notifyHandler({ url, alias, scope, token, isLocal }: HookedAgent): Handler | undefined {
  if (!isLocal) return undefined;
  const isReference = scope === 'project';
  return {
    type: 'http',
    url: `${url}/hooks/${CLAUDE_SETUP.hook}?alias=${encodeURIComponent(alias)}`,
    headers: authorization(isReference ? `$${TOKEN_VARIABLE}` : token),
    ...(isReference && { allowedEnvVars: [TOKEN_VARIABLE] }),
    timeout: HTTP_SECONDS,
  };
}
