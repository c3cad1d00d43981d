// The JSON-RPC 2.0 envelope: reads requests and writes responses.
import { MAX_REQUEST_ID } from '../domain/limits.ts';

export type RequestId = string | number;

/** A request; without an id it is a notification, which gets no response. */
export type RpcRequest = { id?: RequestId; method: string; params: Record<string, unknown> };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const HEADER_MISMATCH = -32020;
export const UNSUPPORTED_VERSION = -32022;
/** Before revision 2026-07-28 only; later revisions use INVALID_PARAMS. */
export const RESOURCE_NOT_FOUND = -32002;

/** An error code of the interface, or else of JSON-RPC. */
export type ErrorCode = string | number;

/**
 * A protocol error, as opposed to a tool error. `status` is its HTTP status, `refusal` the error code of the interface,
 * if it has one.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;
  readonly refusal: string | undefined;
  constructor(
    code: number,
    message: string,
    { status = STATUSES[code] ?? 200, data, refusal }: { status?: number; data?: object; refusal?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
    this.refusal = refusal;
  }
}

// Errors in the envelope or its headers are HTTP errors too; errors in the params of a method are not.
const STATUSES: Readonly<Record<number, number>> = {
  [PARSE_ERROR]: 400,
  [INVALID_REQUEST]: 400,
  [HEADER_MISMATCH]: 400,
  [UNSUPPORTED_VERSION]: 400,
  [INTERNAL_ERROR]: 500,
};

// The name can be any JSON value; only text is repeated.
export function unknownName(what: string, name: unknown): RpcError {
  return new RpcError(
    INVALID_PARAMS,
    typeof name === 'string' ? `unknown ${what}: ${name.slice(0, 200)}` : `name must be the name of a ${what}`,
  );
}

/** Returns the request or notification; undefined for a posted response. */
export function readEnvelope(value: unknown): RpcRequest | undefined {
  if (!isObject(value) || value.jsonrpc !== '2.0')
    throw new RpcError(INVALID_REQUEST, 'the body must be a JSON-RPC 2.0 object with jsonrpc "2.0"');
  if (isResponse(value)) return undefined;
  if (typeof value.method !== 'string') throw new RpcError(INVALID_REQUEST, 'method must be a string');
  if (!isId(value.id)) throw new RpcError(INVALID_REQUEST, 'id must be a string or a number');
  if (isLong(value.id)) throw new RpcError(INVALID_REQUEST, `id must have at most ${MAX_REQUEST_ID} characters`);
  const { params = {} } = value;
  if (!isObject(params)) throw new RpcError(INVALID_PARAMS, 'params must be an object');
  return { method: value.method, params, ...(value.id !== undefined && { id: value.id }) };
}

/** The id for the response; null if it is unreadable. */
export function idOf(value: unknown): RequestId | null {
  return isObject(value) && isId(value.id) && value.id !== undefined && !isLong(value.id) ? value.id : null;
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

/** Ids and progress tokens are repeated in every message about a request, so their length is limited. */
export function isLong(id: unknown): boolean {
  return typeof id === 'string' && id.length > MAX_REQUEST_ID;
}

/** `result` is JSON text, so that constant results are serialized once. */
export function resultEnvelope(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorEnvelope(id: RequestId | null | undefined, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

export function notification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
