// Handles one POST of an MCP client, from the body to the response. It is stateless, so clients survive a restart.
import type { Caller } from '../domain/accounts/caller.ts';
import type { HubError } from '../domain/errors.ts';
import { MAX_BATCH_ANSWER_BYTES, MAX_BATCH_CALLS, MAX_UNREAD_BYTES_PER_USER, MEBIBYTE } from '../domain/limits.ts';
import type { Recipient } from '../domain/recipient.ts';
import type { Hub } from '../hub.ts';
import { assertRate } from '../operations/quotas.ts';
import { type BatchCall, type Refusal, runBatch } from './batch.ts';
import type { Call, Outcome } from './call.ts';
import type { Catalogue } from './catalogue.ts';
import {
  type ErrorCode,
  errorEnvelope,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  idOf,
  isObject,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type RequestId,
  RpcError,
  type RpcRequest,
  readEnvelope,
  resultEnvelope,
} from './envelope.ts';
import { assertLegacyVersion, assertMayBatch, eraOf, type Headers } from './eras.ts';
import { HUB_CATALOGUE } from './hub-catalogue.ts';
import type { Late, LateAnswer } from './late-answer.ts';
import { findMethod, type Method } from './methods.ts';
import { assertDescribed } from './mirrored-headers.ts';
import { refusalsAsErrors } from './resources.ts';
import { isRefused, type Result, resultText } from './results.ts';
import { resumedCall } from './resumption.ts';

export type McpRequest = {
  /** The request id in the log. */
  id?: string;
  headers: Headers;
  body: { value: unknown } | { error: HubError };
  recipient?: Recipient;
};

/** `body` is JSON text; without it the response is empty or, with `later`, late. `error` is the code of a refusal. */
export type Answer = { status: number; body?: string; error?: ErrorCode; later?: Late<LateAnswer> };

type Post = Omit<Call, 'id' | 'params'> & {
  requestId?: string | undefined;
  /** Of a batch: the code of its first refused call. */
  refused?: { first?: ErrorCode };
};
type Question = RpcRequest & { id: RequestId };

const ACCEPTED: Answer = { status: 202 };
const REFUSALS: Readonly<Record<Refusal, string>> = {
  batch: `the responses of this batch exceed ${MAX_BATCH_ANSWER_BYTES / MEBIBYTE} MiB; send this call in a separate POST`,
  user: `your unread responses exceed ${MAX_UNREAD_BYTES_PER_USER / MEBIBYTE} MiB; read them, then retry this call`,
  hub: 'the hub has no memory for further responses; retry this call in a few seconds',
};

export async function answerMcp(
  hub: Hub,
  caller: Caller,
  { id: requestId, headers, body, recipient }: McpRequest,
  catalogue: Catalogue = HUB_CATALOGUE,
): Promise<Answer> {
  const message = 'value' in body ? body.value : undefined;
  const post: Post = { requestId, hub, catalogue, caller, recipient, headers, era: eraOf(headers, message) };
  try {
    if (!Array.isArray(message)) await takeRate(post, message);
    if ('error' in body) throw new RpcError(PARSE_ERROR, body.error.message);
    return await (Array.isArray(message) ? answerBatch(post, message) : answerMessage(post, message));
  } catch (error) {
    return answerError(post, idOf(message), error);
  }
}

/** Continues a wait whose stream broke. The response is always a stream. */
export async function answerResumed(
  hub: Hub,
  caller: Caller,
  { lastEventId, ...request }: Omit<McpRequest, 'body'> & { lastEventId: string },
  catalogue: Catalogue = HUB_CATALOGUE,
): Promise<Answer> {
  const post: Post = { requestId: request.id, hub, catalogue, caller, headers: request.headers, era: 'legacy' };
  try {
    const value = resumedCall(catalogue, lastEventId, hub.clock.now());
    const answer = await answerMcp(hub, caller, { ...request, body: { value } }, catalogue);
    return { ...answer, later: { ...(answer.later ?? { run: async () => late(answer) }), opens: 'stream' } };
  } catch (error) {
    return answerError(post, null, error);
  }
}

/** Counts a message against the rate limits of the token, unless its operation counts itself. */
async function takeRate({ hub, caller, era }: Post, message: unknown): Promise<void> {
  const name =
    isObject(message) && message.id !== undefined && typeof message.method === 'string' ? message.method : '';
  if (findMethod(era, name)?.performs !== true) await refusalsAsErrors(async () => assertRate(hub, caller, name));
}

function answerMessage(post: Post, message: unknown): Answer | Promise<Answer> {
  const request = readEnvelope(message);
  if (post.era === 'legacy') assertLegacyVersion(post.headers);
  if (!isQuestion(request)) return ACCEPTED;
  if (post.era === 'modern') assertDescribed(post.headers, request);
  return answerQuestion(post, request);
}

function isQuestion(request: RpcRequest | undefined): request is Question {
  return request?.id !== undefined;
}

async function answerQuestion(post: Post, { id, method: name, params }: Question): Promise<Answer> {
  const method = findMethod(post.era, name);
  if (method === undefined)
    throw new RpcError(METHOD_NOT_FOUND, `unknown method: ${name.slice(0, 200)}`, {
      status: post.era === 'modern' ? 404 : 200,
    });
  const call: Post & Call = { ...post, id, params };
  const outcome = await method.answer(call);
  return isLate(outcome) ? { status: 200, later: enveloped(call, method, outcome) } : done(call, method, outcome);
}

function isLate(outcome: Outcome): outcome is Late<Result> {
  return typeof outcome === 'object' && 'run' in outcome;
}

function done(call: Post & Call, method: Method, result: Result): Answer {
  const body = resultEnvelope(call.id, resultText(call, method, result));
  return isRefused(result) ? refused(call, { status: 200, body, error: result.error }) : { status: 200, body };
}

function refused({ refused: batch }: Post, answer: Answer & { error: ErrorCode }): Answer {
  if (batch !== undefined) batch.first ??= answer.error;
  return answer;
}

// A wait can last minutes, so it keeps only the id of the request.
function enveloped(read: Post & Call, method: Method, waiting: Late<Result>): Late<LateAnswer> {
  const call = { ...read, params: {}, headers: {} };
  return {
    ...waiting,
    run: async (gone, send, room) => {
      try {
        return late(done(call, method, await waiting.run(gone, send, room)));
      } catch (error) {
        return late(answerError(call, call.id, error));
      }
    },
  };
}

function late({ status, body, error }: Answer): LateAnswer {
  return { status, pieces: body === undefined ? [] : [body], error };
}

// The whole batch is validated before any call runs, and the response is sent when all calls are complete.
async function answerBatch(post: Post, messages: readonly unknown[]): Promise<Answer> {
  assertMayBatch(post.era, post.headers);
  assertLegacyVersion(post.headers);
  if (messages.length === 0 || messages.length > MAX_BATCH_CALLS)
    throw new RpcError(INVALID_REQUEST, `a batch must hold 1 to ${MAX_BATCH_CALLS} messages`);
  if (messages.some((message) => eraOf({}, message) === 'modern'))
    throw new RpcError(INVALID_REQUEST, 'a batch must not contain messages of a protocol revision without batches');
  const questions = messages.map(readEnvelope).filter(isQuestion);
  if (questions.some(({ method }) => method === 'initialize'))
    throw new RpcError(INVALID_REQUEST, 'initialize must not be part of a batch');
  if (questions.length === 0) {
    await takeRate(post, undefined);
    return ACCEPTED;
  }
  const refused: Post['refused'] = {};
  const batch = { ...post, refused };
  const calls = questions.map((question) => batchCall(batch, question));
  const run: Late<LateAnswer>['run'] = async (gone, _send, room) => ({
    status: 200,
    pieces: listOf(await runBatch(calls, gone, room)),
    error: refused.first,
  });
  return { status: 200, later: { opens: undefined, calls: calls.length, run } };
}

/** Joins entries of JSON text into a JSON list. */
function listOf(entries: readonly string[]): string[] {
  return ['[', ...entries.flatMap((entry, index) => (index === 0 ? [entry] : [',', entry])), ']'];
}

function batchCall(post: Post, question: Question): BatchCall {
  const begin: BatchCall['begin'] = async () => {
    const { later, body = '' } = await answerWithin(post, question);
    return later ?? body;
  };
  return { begin, refuse: refusalOf(post, question.id) };
}

async function answerWithin(post: Post, question: Question): Promise<Answer> {
  try {
    await takeRate(post, question);
    return await answerQuestion(post, question);
  } catch (error) {
    return answerError(post, question.id, error);
  }
}

// A top-level function, because a closure in batchCall would keep the params as long as the batch.
function refusalOf(post: Post, id: RequestId): BatchCall['refuse'] {
  return (why) => refusal(post, id, new RpcError(INVALID_REQUEST, REFUSALS[why])).body ?? '';
}

/** The response to a failure where the request id is no longer known. */
export const BROKEN_ANSWER = { status: 500, pieces: [errorEnvelope(null, internalError())], error: 'internal_error' };

function internalError(): RpcError {
  return new RpcError(INTERNAL_ERROR, 'an internal error occurred; see the hub log for details', {
    refusal: 'internal_error',
  });
}

function answerError(post: Post, id: RequestId | null, error: unknown): Answer {
  if (error instanceof RpcError) return refusal(post, id, error);
  post.hub.log.error({ err: error, request_id: post.requestId }, 'MCP request failed');
  return refusal(post, id, internalError());
}

// JSON-RPC uses null for an unreadable id; modern MCP omits it.
function refusal(post: Post, id: RequestId | null, error: RpcError): Answer {
  return refused(post, {
    status: error.status,
    body: errorEnvelope(id ?? (post.era === 'modern' ? undefined : null), error),
    error: error.refusal ?? error.code,
  });
}
