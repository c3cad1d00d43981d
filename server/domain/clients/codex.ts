// Codex CLI.

import type { Moments } from '../hooks/moments.ts';
import { asBlock, asContext, atEach, CLAUDE_MOMENTS, type Client, HOOK_SECONDS, USUAL_EXTENSIONS } from './client.ts';
import { authorization, SERVER, type Setup, TOKEN_VARIABLE } from './setup.ts';

export const CODEX_SETUP = {
  title: 'Codex CLI',
  hook: 'codex',
  configuration: {
    format: 'toml',
    scope: 'user',
    files: { user: '.codex/config.toml', project: '.codex/config.toml' },
    root: 'mcp_servers',
    entry: (url, token) => ({
      url: `${url}/mcp`,
      http_headers: token === undefined ? undefined : authorization(token),
      bearer_token_env_var: token === undefined ? TOKEN_VARIABLE : undefined,
      default_tools_approval_mode: 'approve', // otherwise, it asks before each cancel_task
    }),
  },
  command: {
    line: (url) => `codex mcp add ${SERVER} --url ${url}/mcp --bearer-token-env-var ${TOKEN_VARIABLE}`,
    readsToken: true,
  },
  wake: { by: 'hooks' },
} as const satisfies Setup;

const MOMENTS = { ...CLAUDE_MOMENTS, Interrupt: 'interruption' } as const satisfies Moments;

export const CODEX = {
  setup: CODEX_SETUP,
  program: { command: 'codex', version: '0.169.0' },
  moved: { directory: '.codex', variable: 'CODEX_HOME' },
  hooks: {
    moments: MOMENTS,
    forms: { prompt: asContext, tool: asContext, 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
    installation: {
      layout: 'groups',
      files: { user: '.codex/hooks.json', project: '.codex/hooks.json' },
      handlers: ({ line }) => ({
        ...atEach(MOMENTS, { type: 'command', command: line('hook', 'codex'), timeout: HOOK_SECONDS }),
        SessionStart: [
          {
            type: 'command',
            command: line('wake', '--exec', 'codex queue --thread {session} --message {line}'),
            timeout: HOOK_SECONDS,
          },
        ],
      }),
    },
    note: 'Codex asks once whether to trust the hooks; codex exec runs none that are not trusted.',
  },
  readme: {
    configuration: 'wait with `wait_seconds` below its `tool_timeout_sec`',
    tells: 'after you trust them in its dialog; `codex exec` runs no untrusted hooks',
    wakes: 'with `codex queue`',
  },
} as const satisfies Client;
