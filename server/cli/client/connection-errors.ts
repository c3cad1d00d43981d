// Translates network errors into a short reason why the hub is unreachable.

const UNTRUSTED =
  'its certificate is not signed by a trusted authority; set NODE_EXTRA_CA_CERTS to a file with the CA certificate, or NODE_USE_SYSTEM_CA=1 if this machine trusts it';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ETIMEDOUT: 'connection timed out',
  EPIPE: 'connection reset',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS',
};

/** For a name with several addresses, the error is an AggregateError, and the first of its errors counts. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.cause instanceof Error && error.cause.name === 'TimeoutError') return 'request timed out';
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code: unknown = first instanceof Error && 'code' in first ? first.code : undefined;
  return (
    (typeof code === 'string' ? (REASONS[code] ?? code) : undefined) ??
    (first instanceof Error ? first.message : error.message)
  );
}
