// Results of methods, and what a modern result says about itself.
import type { Call } from './call.ts';
import type { PromptResult, ToolResult } from './catalogue.ts';
import { serverInfo } from './discover.ts';

/** A complete result as JSON text, one that asks for input, or a tool error. */
export type Result = string | InputRequired | Refused;

/** A tool error: its result as JSON text, and its code for the log. */
export type Refused = { error: string; text: string };

/** Asks the client to repeat its request with `inputResponses` and this state. Legacy revisions have no such result. */
export type InputRequired = {
  inputRequests: Readonly<Record<string, { method: string; params: object }>>;
  requestState?: string;
};

export function resultOf(value: ToolResult | PromptResult | InputRequired): Result {
  return 'inputRequests' in value ? value : JSON.stringify(value);
}

/** How long a result may be cached, and whether it is the same for all clients. */
export type Caching = { ttlMs: number; cacheScope: 'public' | 'private' };

/** What the method adds to its modern results. */
export type Additions = {
  caching?: Caching;
  /** Additional fields of `_meta`. */
  meta?: (call: Call) => object;
};

export function resultText(call: Call, additions: Additions, result: Result): string {
  const complete = isRefused(result) ? result.text : result;
  if (call.era === 'modern') return described(call, additions, complete);
  if (typeof complete !== 'string') throw new Error('a result of a legacy revision cannot ask for input');
  return complete;
}

export function isRefused(result: Result): result is Refused {
  return typeof result === 'object' && 'error' in result;
}

/** A modern result includes its type, the server and how long it may be cached. */
function described(call: Call, { caching, meta }: Additions, result: string | InputRequired): string {
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo(call.hub.version), ...meta?.(call) };
  if (typeof result !== 'string') return JSON.stringify({ resultType: 'input_required', _meta, ...result });
  const description = JSON.stringify({ resultType: 'complete', ...caching, _meta });
  return result === '{}' ? description : `${description.slice(0, -1)},${result.slice(1)}`;
}
