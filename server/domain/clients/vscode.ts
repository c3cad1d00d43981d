// VS Code.
import type { Client } from './client.ts';
import { authorization, type Setup } from './setup.ts';

export const VSCODE_SETUP = {
  title: 'VS Code',
  configuration: {
    format: 'json',
    scope: 'project',
    files: { user: '.config/Code/User/mcp.json', project: '.vscode/mcp.json' },
    root: 'servers',
    entry: (url, token = '${input:hub}') => ({
      type: 'http',
      url: `${url}/mcp`,
      headers: authorization(token),
    }),
    // It keeps the answer in its secret storage.
    asks: {
      list: 'inputs',
      question: { type: 'promptString', id: 'hub', description: 'agenthub token', password: true },
    },
  },
  wake: { by: 'inbox' },
} as const satisfies Setup;

export const VSCODE = {
  setup: VSCODE_SETUP,
  moved: {
    directory: '.config',
    variable: 'XDG_CONFIG_HOME',
    on: { darwin: 'Library/Application Support', win32: 'AppData/Roaming' },
  },
  readme: { configuration: 'asks for the token once' },
} as const satisfies Client;
