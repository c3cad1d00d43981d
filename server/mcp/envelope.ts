// The JSON-RPC 2.0 envelope: reads requests and writes answers.

export type RequestId = string | number;

export type RpcRequest = { id?: RequestId; method: string; params: Record<string, unknown> };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** An error of the protocol, as opposed to one of a tool. */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request or notification; undefined for a posted response, which asks for nothing. */
export function readEnvelope(value: unknown): RpcRequest | undefined {
  if (!isObject(value) || value.jsonrpc !== '2.0') throw new RpcError(INVALID_REQUEST, 'the body must be a JSON-RPC 2.0 object with jsonrpc "2.0"');
  if (isResponse(value)) return undefined;
  if (typeof value.method !== 'string') throw new RpcError(INVALID_REQUEST, 'method must be a string');
  if (!isId(value.id)) throw new RpcError(INVALID_REQUEST, 'id must be a string or a number');
  const { params = {} } = value;
  if (!isObject(params)) throw new RpcError(INVALID_PARAMS, 'params must be an object');
  return { method: value.method, params, ...(value.id !== undefined && { id: value.id }) };
}

/** The id to answer under, as far as it can be read. */
export function idOf(value: unknown): RequestId | null {
  return isObject(value) && isId(value.id) && value.id !== undefined ? value.id : null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isResponse(value: Record<string, unknown>): boolean {
  return value.method === undefined && value.id !== undefined && ('result' in value || 'error' in value);
}

function isId(id: unknown): id is RequestId | undefined {
  return id === undefined || typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/** `result` is JSON already, so that what never changes is written out once. */
export function resultEnvelope(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorEnvelope(id: RequestId | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message } });
}
