// Cursor.
import type { Moments } from '../hooks/moments.ts';
import { atEach, type Client, type HookEvent, USUAL_EXTENSIONS } from './client.ts';
import { authorization, type Setup } from './setup.ts';

export const CURSOR_SETUP = {
  title: 'Cursor',
  hook: 'cursor',
  configuration: {
    format: 'json',
    scope: 'project',
    files: { user: '.cursor/mcp.json', project: '.cursor/mcp.json' },
    root: 'mcpServers',
    entry: (url, token = '${env:HUB_TOKEN}') => ({ url: `${url}/mcp`, headers: authorization(token) }),
  },
  wake: { by: 'turn' },
} as const satisfies Setup;

const EVENTS = {
  beforeSubmitPrompt: 'prompt',
  postToolUse: 'tool',
  stop: 'turn end',
  sessionEnd: 'session end',
} as const satisfies Moments;

const INTERRUPTED = 'interruptedStop'; // our name

/** Cursor has one event for the end of a turn, also if the person stops it or it fails. */
function ourName({ hook_event_name: name, status }: HookEvent): string | undefined {
  return name === 'stop' && (status === 'aborted' || status === 'error') ? INTERRUPTED : undefined;
}

export const CURSOR = {
  setup: CURSOR_SETUP,
  hooks: {
    moments: { ...EVENTS, [INTERRUPTED]: 'interruption' },
    eventName: ourName,
    fields: { conversation_id: 'session_id' },
    // It takes no text with a prompt.
    forms: {
      tool: (additional_context) => ({ additional_context }),
      'turn end': (followup_message) => ({ followup_message }),
    },
    maxExtensions: USUAL_EXTENSIONS,
    installation: {
      layout: 'items',
      files: { user: '.cursor/hooks.json', project: '.cursor/hooks.json' },
      version: 1,
      handlers: ({ line }) => atEach(EVENTS, { command: line('hook', 'cursor') }),
    },
    note: 'The hooks follow the documentation of Cursor and are not tested with it.',
  },
  readme: { tells: 'written from its documentation, not tested' },
} as const satisfies Client;
