// Gemini CLI.
import type { Moments } from '../hooks/moments.ts';
import { asContext, asDenial, atEach, type Client, HOOK_SECONDS, type HookEvent, USUAL_EXTENSIONS } from './client.ts';
import { authorization, SERVER, type Setup, WAIT_HEADER } from './setup.ts';

const SETTINGS = { user: '.gemini/settings.json', project: '.gemini/settings.json' };

export const GEMINI_SETUP = {
  title: 'Gemini CLI',
  hook: 'gemini',
  configuration: {
    format: 'json',
    scope: 'user',
    files: SETTINGS,
    root: 'mcpServers',
    // Without trust, it offers no tool when nobody can be asked.
    // When the hub is killed, it would wait for the rest of a stream for ten minutes.
    entry: (url, token = '$HUB_TOKEN') => ({
      trust: true,
      httpUrl: `${url}/mcp`,
      headers: { ...authorization(token), [WAIT_HEADER]: 'json' },
    }),
  },
  command: {
    line: (url, token) =>
      `gemini mcp add --scope user --transport http --header "Authorization: Bearer ${token}" --header "${WAIT_HEADER}: json" ${SERVER} ${url}/mcp`,
  },
  wake: { by: 'worker', command: 'gemini' }, // takes the task from standard input
} as const satisfies Setup;

const MOMENTS = {
  BeforeAgent: 'prompt',
  AfterTool: 'tool',
  AfterFailedTool: 'failed tool', // our name
  AfterAgent: 'turn end',
  SessionEnd: 'session end',
} as const satisfies Moments;

/** Gemini CLI has one event for both, but replaces the result of a failed tool, and what a hook added, by the error. */
function ourName({ hook_event_name: name, tool_response: response }: HookEvent): string | undefined {
  const hasError = typeof response === 'object' && response !== null && 'error' in response && Boolean(response.error);
  return name === 'AfterTool' && hasError ? 'AfterFailedTool' : undefined;
}

/** Those for which it runs hooks. */
function eventsOfClient(): Moments {
  return Object.fromEntries(Object.entries(MOMENTS).filter(([name]) => name !== 'AfterFailedTool'));
}

export const GEMINI = {
  setup: GEMINI_SETUP,
  program: { command: 'gemini', version: '0.61.0' },
  moved: { directory: '', variable: 'GEMINI_CLI_HOME' },
  hooks: {
    moments: MOMENTS,
    eventName: ourName,
    forms: { prompt: asContext, tool: asContext, 'turn end': asDenial },
    maxExtensions: USUAL_EXTENSIONS,
    installation: {
      layout: 'groups',
      files: SETTINGS,
      handlers: ({ line }) =>
        atEach(eventsOfClient(), { type: 'command', command: line('hook', 'gemini'), timeout: HOOK_SECONDS * 1_000 }), // ms
    },
  },
  readme: { configuration: 'may wait the full 300 seconds; version 0.61.0 needs Node 20 for MCP over HTTP' },
} as const satisfies Client;
