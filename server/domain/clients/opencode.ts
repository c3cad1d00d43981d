// OpenCode. A plugin, written in JavaScript, takes the place of hooks.
import { asFlatContext, type Client, USUAL_EXTENSIONS } from './client.ts';
import { authorization, type Setup } from './setup.ts';

export const OPENCODE_SETUP = {
  title: 'OpenCode',
  hook: 'opencode',
  configuration: {
    format: 'json',
    scope: 'user',
    files: {
      user: '.config/opencode/opencode.json',
      project: 'opencode.json',
    },
    root: 'mcp',
    entry: (url, token = '{env:HUB_TOKEN}') => ({
      type: 'remote',
      enabled: true,
      oauth: false,
      url: `${url}/mcp`,
      headers: authorization(token),
    }),
  },
  wake: { by: 'hooks' },
} as const satisfies Setup;

export const OPENCODE = {
  setup: OPENCODE_SETUP,
  program: { command: 'opencode', version: '1.18.33' },
  moved: { directory: '.config', variable: 'XDG_CONFIG_HOME' },
  hooks: {
    moments: {
      'chat.message': 'prompt',
      'tool.execute.after': 'tool',
      'session.idle': 'turn end',
      'session.deleted': 'session end',
    },
    forms: { prompt: asFlatContext, tool: asFlatContext, 'turn end': asFlatContext },
    maxExtensions: USUAL_EXTENSIONS,
    installation: {
      layout: 'plugin',
      files: {
        user: '.config/opencode/plugins/agenthub.js',
        project: '.opencode/plugins/agenthub.js',
      },
    },
  },
} as const satisfies Client;
