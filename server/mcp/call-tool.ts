// tools/call: each tool runs one operation. A tool that waits responds later; every other responds immediately.
import { HubError, InvalidInput } from '../domain/errors.ts';
import { MAX_REQUEST_ID } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import { type Asking, ask, type Call, type Outcome } from './call.ts';
import { INVALID_PARAMS, isLong, isObject, notification, RpcError, unknownName } from './envelope.ts';
import type { Headers } from './eras.ts';
import type { Late } from './late-answer.ts';
import { eventIdOf, isResumedBy } from './resumption.ts';
import { findTool, type Tool, waitingSeconds } from './tools.ts';

export async function callTool(call: Call): Promise<Outcome> {
  const { caller, params } = call;
  const tool = typeof params.name === 'string' ? findTool(params.name) : undefined;
  if (tool === undefined) throw unknownName('tool', params.name);
  const { arguments: given = {} } = params;
  if (!isObject(given)) throw new RpcError(INVALID_PARAMS, 'arguments must be an object');
  const seconds = caller.token_kind === 'user' ? 0 : waitingSeconds(tool, given); // a user token is refused immediately
  return seconds > 0
    ? wait(call, tool, knownOf(tool, given), seconds)
    : JSON.stringify(await runTool(call, tool, given));
}

/** The result or error of the operation, as one text in compact JSON. */
type ToolResult = { content: [{ type: 'text'; text: string }]; isError?: true };

// One of two places that catch errors: a failed tool call is a result that the agent reads.
async function runTool(asking: Asking, tool: Tool, given: object, gone?: AbortSignal): Promise<ToolResult> {
  try {
    return { content: [textOf(await ask(asking, tool.operation, given, gone))] };
  } catch (error) {
    if (error instanceof HubError) return toolError(error);
    throw error;
  }
}

/** `error` is the exact string of the interface; `message` is one line that explains to an agent what to do. */
function toolError(error: HubError): ToolResult {
  const code = error instanceof InvalidInput ? 'invalid_arguments' : error.code;
  return { content: [textOf({ ok: false, error: code, message: error.message })], isError: true };
}

function textOf(result: object): ToolResult['content'][0] {
  return { type: 'text', text: JSON.stringify(result) };
}

// A wait can last minutes, so only the arguments that the tool reads are kept.
function knownOf({ operation }: Tool, given: Record<string, unknown>): object {
  const names = Object.keys(operation.input.entries).filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

// The params, which can be a mebibyte, must not be kept while the call waits.
function wait(call: Call, tool: Tool, given: object, total: number): Late<string> {
  const { hub, caller, hasLeft, headers, id } = call;
  const progressToken = progressTokenIn(call.params);
  const endsAt = hub.clock.now() + total * SECOND_MS;
  return {
    opens: openingFor(headers),
    eventId: isResumedBy(call)
      ? eventIdOf({ id, tool: tool.operation.name, given, endsAt, total, progressToken })
      : undefined,
    ...(progressToken !== undefined && {
      progress: (seconds) => notification('notifications/progress', { progressToken, progress: seconds, total }),
    }),
    run: async (gone) => JSON.stringify(await runTool({ hub, caller, hasLeft }, tool, given, gone)),
  };
}

/**
 * When the hub is killed, Claude Code notices a broken JSON body at once, and a broken stream after two minutes. It
 * does not need the progress that only a stream can carry.
 */
function openingFor({ accept, 'user-agent': client }: Headers): 'stream' | 'JSON' | undefined {
  if (typeof accept !== 'string' || !/\btext\/event-stream\b/i.test(accept)) return undefined;
  return typeof client === 'string' && client.startsWith('claude-code/') ? 'JSON' : 'stream';
}

function progressTokenIn({ _meta: meta }: Call['params']): string | number | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined;
  if (isLong(token))
    throw new RpcError(INVALID_PARAMS, `_meta.progressToken must have at most ${MAX_REQUEST_ID} characters`);
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
