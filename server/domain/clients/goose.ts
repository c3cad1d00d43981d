// Goose. `agenthub connect` does not write its configuration, which is YAML; a person adds the hub and the hook.
import { asBlock, CLAUDE_MOMENTS, type Client, USUAL_EXTENSIONS } from './client.ts';
import type { Setup } from './setup.ts';

export const GOOSE_SETUP = { title: 'Goose', hook: 'goose', wake: { by: 'turn' } } as const satisfies Setup;

export const GOOSE = {
  setup: GOOSE_SETUP,
  hooks: {
    moments: CLAUDE_MOMENTS,
    fields: { event: 'hook_event_name', working_dir: 'cwd' },
    // It ignores the output of its other hooks.
    forms: { 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
  },
  readme: {
    tells: 'which you add by hand: `agenthub hook goose --alias builder`; at the end of a turn only; not tested',
  },
} as const satisfies Client;
