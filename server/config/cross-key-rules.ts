// The rules that involve several keys.
import { isLoopbackName, isUnencrypted } from '../domain/addresses.ts';
import type { Config } from './keys.ts';

/** What is sent to this machine itself needs no encryption. */
function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopbackName(hostname);
}

/** Each with the problem to report when it is broken. */
export const CROSS_KEY_RULES: readonly (readonly [isValid: (config: Config) => boolean, problem: string])[] = [
  [
    (config) => !config.require_tls || !isUnencrypted(config),
    'require_tls is true, but others could reach this hub over plain HTTP: set tls_cert and tls_key, set trust_proxy if a reverse proxy in front of the hub serves https, or listen on 127.0.0.1',
  ],
  [
    ({ require_tls, public_url }) => !require_tls || public_url === undefined || isConfidential(public_url),
    'require_tls is true, but public_url begins with http: people would use the hub over plain HTTP; use its https address',
  ],
  [
    ({ tls_cert, tls_key }) => (tls_cert === undefined) === (tls_key === undefined),
    'tls_cert and tls_key belong together: set both or neither',
  ],
  [
    ({ admin_username, admin_password }) => (admin_username === undefined) === (admin_password === undefined),
    'admin_username and admin_password belong together: set both or neither',
  ],
  [
    ({ metrics, metrics_token }) => metrics !== 'token' || metrics_token !== undefined,
    'metrics is "token" but metrics_token is not set',
  ],
];
