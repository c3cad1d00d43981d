// GitHub Copilot CLI.
import {
  asBlock,
  asFlatContext,
  atEach,
  CLAUDE_MOMENTS,
  type Client,
  HOOK_SECONDS,
  SESSION_START,
  USUAL_EXTENSIONS,
} from './client.ts';
import { authorization, type Setup } from './setup.ts';

export const COPILOT_SETUP = {
  title: 'Copilot CLI',
  hook: 'copilot',
  configuration: {
    format: 'json',
    scope: 'user',
    files: { user: '.copilot/mcp-config.json', project: '.mcp.json' },
    root: 'mcpServers',
    entry: (url, token = '${HUB_TOKEN}') => ({
      type: 'http',
      tools: ['*'],
      url: `${url}/mcp`,
      headers: authorization(token),
    }),
  },
  wake: { by: 'shell' },
} as const satisfies Setup;

export const COPILOT = {
  setup: COPILOT_SETUP,
  program: { command: 'copilot', version: '1.0.102' },
  moved: { directory: '.copilot', variable: 'COPILOT_HOME' },
  approvals: {
    file: '.copilot/permissions-config.json',
    list: (repository) => ['locations', repository, 'tool_approvals'],
    tools: { kind: 'mcp', serverName: 'hub', toolName: null },
    command: (name) => ({ kind: 'commands', commandIdentifiers: [name] }),
  },
  hooks: {
    moments: CLAUDE_MOMENTS,
    forms: { prompt: asFlatContext, tool: asFlatContext, 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
    wokenByShell: { event: SESSION_START, form: asFlatContext },
    installation: {
      layout: 'items',
      files: {
        user: '.copilot/hooks/agenthub.json',
        project: '.github/hooks/agenthub.json',
      },
      version: 1,
      handlers: ({ line }) => {
        const hook = { type: 'command', bash: line('hook', 'copilot'), timeoutSec: HOOK_SECONDS };
        return { [SESSION_START]: [hook], ...atEach(CLAUDE_MOMENTS, hook) };
      },
    },
    note: 'In this repository Copilot uses the hub without asking; run this command in others as well.',
  },
} as const satisfies Client;
