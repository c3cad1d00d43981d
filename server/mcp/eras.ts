// Distinguishes the two eras of the protocol at one URL. The endpoint is stateless, so each request identifies its era:
// a modern request carries its revision; the legacy era starts with a handshake.
import { INVALID_REQUEST, isObject, RpcError, UNSUPPORTED_VERSION } from './envelope.ts';

export type Era = 'legacy' | 'modern';

/** Request headers by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Revisions whose requests describe themselves, newest first. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;
/** Revisions with a handshake, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

const FIRST_MODERN = '2026-07-28';
const BATCHING = '2025-03-26';

/** The presence of `_meta` alone does not decide: legacy clients send a progress token there. */
export function eraOf(headers: Headers, message: unknown): Era {
  return isModernVersion(headers['mcp-protocol-version']) || metaOf(message)?.[PROTOCOL_VERSION] !== undefined
    ? 'modern'
    : 'legacy';
}

// Revisions are dates, which sort as text.
function isModernVersion(version: unknown): boolean {
  return typeof version === 'string' && version >= FIRST_MODERN && /^\d{4}-\d{2}-\d{2}$/.test(version);
}

export function metaOf(message: unknown): Record<string, unknown> | undefined {
  if (!isObject(message) || !isObject(message.params)) return undefined;
  const { _meta: meta } = message.params;
  return isObject(meta) ? meta : undefined;
}

/** A legacy request may omit the header; if present, its version must be supported. */
export function assertLegacyVersion(headers: Headers): void {
  const version = headers['mcp-protocol-version'];
  if (version === undefined || LEGACY_VERSIONS.some((known) => known === version)) return;
  throw unsupportedVersion(String(version), [...MODERN_VERSIONS, ...LEGACY_VERSIONS]);
}

export function unsupportedVersion(requested: string, supported: readonly string[]): RpcError {
  const message = `unsupported revision ${requested.slice(0, 50)}; this hub supports ${supported.join(', ')}`;
  return new RpcError(UNSUPPORTED_VERSION, message, { data: { supported, requested } });
}

/** Only one revision has batches; a client that sends no revision may use that one. */
export function assertMayBatch(era: Era, headers: Headers): void {
  const version = headers['mcp-protocol-version'];
  if (era === 'legacy' && (version === undefined || version === BATCHING)) return;
  throw new RpcError(INVALID_REQUEST, `only revision ${BATCHING} has batches; send each message in a separate POST`);
}
