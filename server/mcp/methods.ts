// The table of methods by era: the handler of each method and how long clients may cache its result.
import type { Call, Outcome } from './call.ts';
import { callTool } from './call-tool.ts';
import type { Catalogue } from './catalogue.ts';
import { complete } from './completion.ts';
import { discover, initialize } from './discover.ts';
import { INVALID_PARAMS, RpcError } from './envelope.ts';
import type { Era } from './eras.ts';
import { listen, subscription } from './listen.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listResourceTemplates, readResource } from './resources.ts';
import type { Additions, Caching } from './results.ts';

export type Method = Additions & {
  answer(call: Call): Outcome | Promise<Outcome>;
  /** Runs an operation, which counts against the rate limits of the token. */
  performs?: true;
};

// Changes only with the version of the hub.
const FIXED: Caching = { ttlMs: 5 * 60_000, cacheScope: 'public' };
const FLEETING: Caching = { ttlMs: 0, cacheScope: 'private' };

const COMMON: Readonly<Record<string, Method>> = {
  'tools/list': { answer: toolList, caching: FIXED },
  'tools/call': { answer: callTool, performs: true },
  'resources/list': { answer: listResources, caching: FIXED },
  'resources/templates/list': { answer: listResourceTemplates, caching: FIXED },
  'resources/read': { answer: readResource, performs: true, caching: FLEETING },
  'prompts/list': { answer: listPrompts, caching: FIXED },
  'prompts/get': { answer: getPrompt },
  'completion/complete': { answer: complete, performs: true },
};

const METHODS: Readonly<Record<Era, Readonly<Record<string, Method>>>> = {
  legacy: {
    initialize: { answer: initialize },
    ping: { answer: () => '{}' },
    'logging/setLevel': { answer: setLogLevel },
    ...COMMON,
  },
  modern: {
    'server/discover': { answer: discover, caching: FIXED },
    'subscriptions/listen': { answer: listen, meta: subscription },
    ...COMMON,
  },
};

export function findMethod(era: Era, name: string): Method | undefined {
  return Object.hasOwn(METHODS[era], name) ? METHODS[era][name] : undefined;
}

const toolLists = new WeakMap<Catalogue, string>();

// Byte-stable, because clients keep it in their prompt caches, and serialized once.
function toolList({ catalogue }: Call): string {
  const listed = toolLists.get(catalogue) ?? JSON.stringify({ tools: catalogue.tools.map((tool) => tool.describe()) });
  toolLists.set(catalogue, listed);
  return listed;
}

const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

// The hub sends no log messages to clients and does not declare logging, so any valid level is accepted and not stored.
function setLogLevel({ params: { level } }: Call): string {
  if (LOG_LEVELS.some((known) => known === level)) return '{}';
  throw new RpcError(INVALID_PARAMS, `level must be one of ${LOG_LEVELS.join(', ')}`);
}
