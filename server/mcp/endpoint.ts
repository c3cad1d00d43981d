// One POST of an MCP client, from the body to the answer. No session is kept, so a restart of the hub breaks nobody.
import type { Caller } from '../domain/caller.ts';
import type { HubError } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import type { Call, Slow } from './call.ts';
import { serverInfo } from './discover.ts';
import {
  errorEnvelope, idOf, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, readEnvelope, resultEnvelope, RpcError,
  type RequestId, type RpcRequest,
} from './envelope.ts';
import { assertLegacyVersion, assertMayBatch, eraOf, type Headers } from './eras.ts';
import { findMethod, type Method } from './methods.ts';
import { assertDescribed } from './mirrored-headers.ts';

export type McpRequest = {
  /** What the log calls this request. */
  id?: string;
  headers: Headers;
  body: { value: unknown } | { error: HubError };
};

/** `body` is JSON text; without one the answer is empty, unless it comes later. */
export type Answer = { status: number; body?: string; later?: Slow<Answer> };

type Post = Omit<Call, 'id' | 'params'> & { requestId?: string | undefined };
type Question = RpcRequest & { id: RequestId };

const ACCEPTED: Answer = { status: 202 };
const MAX_BATCH = 50;

export async function answerMcp(hub: Hub, caller: Caller, { id: requestId, headers, body }: McpRequest): Promise<Answer> {
  const message = 'value' in body ? body.value : undefined;
  const post: Post = { requestId, hub, caller, headers, era: eraOf(headers, message) };
  try {
    if ('error' in body) throw new RpcError(PARSE_ERROR, body.error.message);
    return await (Array.isArray(message) ? answerBatch(post, message) : answerMessage(post, message));
  } catch (error) {
    return answerError(post, idOf(message), error);
  }
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
  if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, `unknown method: ${name.slice(0, 200)}`, { status: post.era === 'modern' ? 404 : 200 });
  const call: Post & Call = { ...post, id, params };
  const outcome = await method.answer(call);
  return typeof outcome === 'string' ? done(call, method, outcome) : { status: 200, later: enveloped(call, method, outcome) };
}

function done(call: Call, method: Method, result: string): Answer {
  return { status: 200, body: resultEnvelope(call.id, call.era === 'modern' ? described(call, method, result) : result) };
}

/** A modern result says what kind it is, who gives it and how long it holds. */
function described(call: Call, { caching, meta }: Method, result: string): string {
  const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo(call.hub.version), ...meta?.(call) };
  const description = JSON.stringify({ resultType: 'complete', ...caching, _meta });
  return result === '{}' ? description : `${description.slice(0, -1)},${result.slice(1)}`;
}

function enveloped(call: Post & Call, method: Method, slow: Slow<string>): Slow<Answer> {
  return {
    ...slow,
    run: async (gone, send) => {
      try {
        return done(call, method, await slow.run(gone, send));
      } catch (error) {
        return answerError(call, call.id, error);
      }
    },
  };
}

// A batch is read whole before any of it is run, and answered when the last of it is.
function answerBatch(post: Post, messages: readonly unknown[]): Answer {
  assertMayBatch(post.era, post.headers);
  assertLegacyVersion(post.headers);
  if (messages.length === 0 || messages.length > MAX_BATCH) throw new RpcError(INVALID_REQUEST, `a batch must hold 1 to ${MAX_BATCH} messages`);
  if (messages.some((message) => eraOf({}, message) === 'modern')) throw new RpcError(INVALID_REQUEST, 'a batch must not hold messages of a revision without batches');
  const questions = messages.map(readEnvelope).filter(isQuestion);
  if (questions.some(({ method }) => method === 'initialize')) throw new RpcError(INVALID_REQUEST, 'initialize must not be part of a batch');
  if (questions.length === 0) return ACCEPTED;
  const run = async (gone: AbortSignal): Promise<Answer> => {
    const answers = await Promise.all(questions.map((question) => answerWithin(post, question, gone)));
    return { status: 200, body: `[${answers.map(({ body }) => body).join(',')}]` };
  };
  return { status: 200, later: { isStream: false, run } };
}

async function answerWithin(post: Post, question: Question, gone: AbortSignal): Promise<Answer> {
  try {
    const answer = await answerQuestion(post, question);
    return answer.later === undefined ? answer : await answer.later.run(gone, () => {});
  } catch (error) {
    return answerError(post, question.id, error);
  }
}

function answerError(post: Post, id: RequestId | null, error: unknown): Answer {
  if (error instanceof RpcError) return refusal(post, id, error);
  post.hub.log.error({ err: error, request_id: post.requestId }, 'an MCP request failed');
  return refusal(post, id, new RpcError(INTERNAL_ERROR, 'something went wrong inside the hub; its log says what'));
}

// JSON-RPC has a null where the id could not be read; modern MCP leaves it out.
function refusal({ era }: Post, id: RequestId | null, error: RpcError): Answer {
  return { status: error.status, body: errorEnvelope(id ?? (era === 'modern' ? undefined : null), error) };
}
