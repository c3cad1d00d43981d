// tools/call: runs a tool of the catalogue. A tool that waits responds later; every other responds immediately.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WAIT_HEADER } from '../domain/clients/setup.ts';
import { HubError, InvalidInput } from '../domain/errors.ts';
import { LARGE_ANSWER_BYTES, MAX_REQUEST_ID } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import type { Asking, Call, Outcome } from './call.ts';
import type { ToolRun } from './catalogue.ts';
import { INVALID_PARAMS, isLong, isObject, notification, RpcError, unknownName } from './envelope.ts';
import type { Headers } from './eras.ts';
import type { Late } from './late-answer.ts';
import { type Refused, type Result, resultOf } from './results.ts';
import { eventIdOf, isResumedBy } from './resumption.ts';

export async function callTool(call: Call): Promise<Outcome> {
  const { catalogue, params } = call;
  const tool = catalogue.tools.find(({ name }) => name === params.name);
  if (tool === undefined) throw unknownName('tool', params.name);
  const { arguments: given = {} } = params;
  if (!isObject(given)) throw new RpcError(INVALID_PARAMS, 'arguments must be an object');
  const toolRun = tool.begin(call, given);
  return toolRun.seconds > 0 ? wait(call, tool.name, toolRun) : run(toolRun, call);
}

// One of two places that catch errors: a failed tool call is a result that the agent reads.
async function run(toolRun: ToolRun, asking: Asking, gone?: AbortSignal): Promise<Result> {
  try {
    const result = await toolRun.run(asking, gone);
    if (isLarge(result)) await nextTurn(); // encoding its text takes as long as reading it
    return resultOf(result);
  } catch (error) {
    if (error instanceof HubError) return refused(error);
    throw error;
  }
}

function isLarge(result: Awaited<ReturnType<ToolRun['run']>>): boolean {
  return 'content' in result && result.content.some((part) => 'text' in part && part.text.length > LARGE_ANSWER_BYTES);
}

/** `error` is the exact string of the interface; `message` is one line that explains to an agent what to do. */
function refused(error: HubError): Refused {
  const code = error instanceof InvalidInput ? 'invalid_arguments' : error.code;
  const text = JSON.stringify({ ok: false, error: code, message: error.message });
  return { error: code, text: JSON.stringify({ content: [{ type: 'text', text }], isError: true }) };
}

// The params, which can be a mebibyte, must not be kept while the call waits.
function wait(call: Call, name: string, toolRun: ToolRun): Late<Result> {
  const { hub, caller, recipient, headers, id } = call;
  const { seconds: total, given } = toolRun;
  const progressToken = progressTokenIn(call.params);
  const endsAt = hub.clock.now() + total * SECOND_MS;
  return {
    opens: openingFor(headers),
    eventId:
      given !== undefined && isResumedBy(call)
        ? eventIdOf({ id, tool: name, given, endsAt, total, progressToken })
        : undefined,
    ...(progressToken !== undefined && {
      progress: (seconds) => notification('notifications/progress', { progressToken, progress: seconds, total }),
    }),
    run: (gone) => run(toolRun, { hub, caller, recipient }, gone),
  };
}

/**
 * When the hub is killed, Claude Code notices a broken JSON body at once, and a broken stream after two minutes. It
 * does not need the progress that only a stream can carry. Any client can ask for the same.
 */
function openingFor({ accept, 'user-agent': client, ...headers }: Headers): 'stream' | 'JSON' | undefined {
  if (typeof accept !== 'string' || !/\btext\/event-stream\b/i.test(accept)) return undefined;
  if (headers[WAIT_HEADER] === 'json') return 'JSON';
  return typeof client === 'string' && client.startsWith('claude-code/') ? 'JSON' : 'stream';
}

function progressTokenIn({ _meta: meta }: Call['params']): string | number | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined;
  if (isLong(token))
    throw new RpcError(INVALID_PARAMS, `_meta.progressToken must have at most ${MAX_REQUEST_ID} characters`);
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
