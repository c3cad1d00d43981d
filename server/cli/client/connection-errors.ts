// Translates network errors into a short reason why the hub is unreachable.

const UNTRUSTED =
  'its certificate is not signed by a trusted authority; set NODE_EXTRA_CA_CERTS to a file with the CA certificate';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection reset',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS',
};

/**
 * The message of fetch is only "fetch failed"; the reason is in its cause. For a name with several addresses, the cause
 * is an AggregateError, and the first of its errors counts.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'TimeoutError') return 'request timed out';
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return (
    (typeof code === 'string' ? (REASONS[code] ?? code) : undefined) ??
    (cause instanceof Error ? cause.message : error.message)
  );
}
