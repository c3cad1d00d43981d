// Validates the metadata of a modern request: `_meta` in the body, and headers that repeat parts of the body for
// proxies. A request whose headers contradict its body is rejected, because a proxy would have trusted the headers.
import { HEADER_MISMATCH, INVALID_PARAMS, isObject, RpcError, type RpcRequest } from './envelope.ts';
import { type Headers, MODERN_VERSIONS, metaOf, PROTOCOL_VERSION, unsupportedVersion } from './eras.ts';

const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The parameter that the header Mcp-Name repeats, by method. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function assertDescribed(headers: Headers, request: RpcRequest): void {
  const version = versionIn(request);
  assertMirrored(headers, 'MCP-Protocol-Version', version);
  if (!MODERN_VERSIONS.some((known) => known === version)) throw unsupportedVersion(version, MODERN_VERSIONS);
  assertMirrored(headers, 'Mcp-Method', request.method);
  const name = nameIn(request);
  if (name !== undefined) assertMirrored(headers, 'Mcp-Name', name, decoded);
}

function versionIn(request: RpcRequest): string {
  const meta = metaOf(request);
  const version = meta?.[PROTOCOL_VERSION];
  if (typeof version !== 'string') throw incomplete(PROTOCOL_VERSION);
  if (!isObject(meta?.[CLIENT_CAPABILITIES])) throw incomplete(CLIENT_CAPABILITIES);
  return version;
}

function incomplete(key: string): RpcError {
  return new RpcError(INVALID_PARAMS, `params._meta must contain ${key}`, { status: 400 });
}

// The method itself reports a missing parameter.
function nameIn({ method, params }: RpcRequest): string | undefined {
  const member = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  const name = member === undefined ? undefined : params[member];
  return typeof name === 'string' ? name : undefined;
}

function assertMirrored(
  headers: Headers,
  name: string,
  inBody: string,
  read = (value: string): string | undefined => value,
): void {
  const value = headers[name.toLowerCase()];
  if (typeof value !== 'string')
    throw new RpcError(HEADER_MISMATCH, `the header ${name} is missing; it must repeat the value in the body`);
  if (read(value) !== inBody)
    throw new RpcError(HEADER_MISMATCH, `the header ${name} is "${value}", which does not match the body`);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `=?base64?…?=` encodes text that a header cannot contain; undefined when it does not decode to text. */
function decoded(value: string): string | undefined {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (base64 === undefined) return value;
  if (!BASE64.test(base64)) return undefined;
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
