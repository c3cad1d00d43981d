// One POST of an MCP client, from the body to the answer. No session is kept, so a restart of the hub breaks nobody.
import type { Caller } from '../domain/caller.ts';
import type { HubError } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import {
  errorEnvelope, idOf, INTERNAL_ERROR, METHOD_NOT_FOUND, PARSE_ERROR, readEnvelope, resultEnvelope, RpcError, type RpcRequest,
} from './envelope.ts';
import { METHODS } from './methods.ts';

export type McpRequest = {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: { value: unknown } | { error: HubError };
};

/** `body` is JSON text; without one the answer is empty. */
export type McpAnswer = { status: number; body?: string };

export async function answerMcp(hub: Hub, caller: Caller, request: McpRequest): Promise<McpAnswer> {
  if ('error' in request.body) return refusal(null, new RpcError(PARSE_ERROR, request.body.error.message), 400);
  const id = idOf(request.body.value);
  try {
    const call = readEnvelope(request.body.value);
    return call?.id === undefined ? { status: 202 } : { status: 200, body: resultEnvelope(call.id, await run(hub, caller, call)) };
  } catch (error) {
    return answerError(hub, id, error);
  }
}

async function run(hub: Hub, caller: Caller, { method, params }: RpcRequest): Promise<string> {
  const known = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (known === undefined) throw new RpcError(METHOD_NOT_FOUND, `unknown method: ${method}`);
  return known(hub, caller, params);
}

function answerError(hub: Hub, id: ReturnType<typeof idOf>, error: unknown): McpAnswer {
  if (error instanceof RpcError) return refusal(id, error, ENVELOPE_ERRORS.has(error.code) ? 400 : 200);
  hub.log.error({ err: error }, 'an MCP request failed');
  return refusal(id, new RpcError(INTERNAL_ERROR, 'something went wrong inside the hub; its log says what'), 500);
}

const ENVELOPE_ERRORS = new Set([PARSE_ERROR, -32600]);

function refusal(id: ReturnType<typeof idOf>, error: RpcError, status: number): McpAnswer {
  return { status, body: errorEnvelope(id, error) };
}
