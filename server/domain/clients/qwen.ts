// Qwen Code.
import {
  asBlock,
  asContext,
  atEach,
  CLAUDE_MOMENTS,
  type Client,
  HOOK_SECONDS,
  SESSION_START,
  USUAL_EXTENSIONS,
} from './client.ts';
import { authorization, type Setup } from './setup.ts';

const SETTINGS = { user: '.qwen/settings.json', project: '.qwen/settings.json' };

export const QWEN_SETUP = {
  title: 'Qwen Code',
  hook: 'qwen',
  configuration: {
    format: 'json',
    scope: 'user',
    files: SETTINGS,
    root: 'mcpServers',
    entry: (url, token = '$HUB_TOKEN') => ({
      trust: true,
      alwaysLoadTools: true, // otherwise, the model has to search for each tool before its first call
      httpUrl: `${url}/mcp`,
      headers: authorization(token),
    }),
  },
  wake: { by: 'shell' },
} as const satisfies Setup;

export const QWEN = {
  setup: QWEN_SETUP,
  program: { command: 'qwen', version: '0.24.4' },
  moved: { directory: '.qwen', variable: 'QWEN_HOME' },
  hooks: {
    moments: CLAUDE_MOMENTS,
    forms: { prompt: asContext, tool: asContext, 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
    wokenByShell: { event: SESSION_START, form: asContext },
    installation: {
      layout: 'groups',
      files: SETTINGS,
      handlers: ({ line }) => {
        const hook = { type: 'command', command: line('hook', 'qwen'), timeout: HOOK_SECONDS };
        return { [SESSION_START]: [hook], ...atEach(CLAUDE_MOMENTS, hook) };
      },
      waiter: {
        list: ['permissions', 'allow'],
        item: (program) => `Bash(${program} wake --session *)`, // with --exec, wake would run any program
        own: /^Bash\(.*(?:agenthub|main\.ts)\S* wake (?:--session )?\*\)$/,
      },
    },
  },
} as const satisfies Client;
