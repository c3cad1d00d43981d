// Why a hub could not be reached, in words that tell what to do.

const UNTRUSTED =
  'nobody this machine trusts has signed its certificate; set NODE_EXTRA_CA_CERTS to a file with one that has';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it broke the connection off',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'no answer',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
  UND_ERR_SOCKET: 'it broke the connection off',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate is over',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https',
};

/**
 * fetch says only "fetch failed"; the cause says why, and for a name with several addresses the first of its causes.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return (
    (typeof code === 'string' ? (REASONS[code] ?? code) : undefined) ??
    (cause instanceof Error ? cause.message : error.message)
  );
}
