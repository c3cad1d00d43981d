// Reads the TLS certificate and key and checks that they match before they are used.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/config.ts';
import { reasonOf } from '../config/file.ts';
import type { Config } from '../config/keys.ts';
import { isUnencrypted, type Transport } from '../domain/addresses.ts';
import { ENCRYPT, UNENCRYPTED } from '../domain/health/findings.ts';
import { systemClock } from '../domain/time/clock.ts';

/** Certificate and key as node:tls takes them, and the parsed certificate, for its validity. */
export type Certificate = { cert: Buffer; key: Buffer; leaf: X509Certificate };

/** Undefined if TLS is not configured. Throws a ConfigError that names the key and the file. */
export function readCertificate({ tls_cert, tls_key }: Pick<Config, 'tls_cert' | 'tls_key'>): Certificate | undefined {
  if (tls_cert === undefined || tls_key === undefined) return undefined;
  const [cert, key] = [contentOf('tls_cert', tls_cert), contentOf('tls_key', tls_key)];
  const leaf = parsed('tls_cert', tls_cert, 'certificate', () => new X509Certificate(cert));
  const privateKey = parsed<KeyObject>('tls_key', tls_key, 'private key without passphrase', () =>
    createPrivateKey(key),
  );
  if (!leaf.checkPrivateKey(privateKey))
    throw new ConfigError(`tls_key (${tls_key}) does not match the certificate in tls_cert (${tls_cert})`);
  return { cert, key, leaf };
}

/** Warnings about the transport, for `config check` and the log at startup. */
export function transportWarnings(config: Transport, certificate: Certificate | undefined): string[] {
  return [
    ...(isUnencrypted(config) ? [`${UNENCRYPTED}; ${ENCRYPT}`] : []),
    ...(certificate === undefined ? [] : expiryWarnings(certificate)),
  ];
}

export function expiryWarnings({ leaf }: Certificate): string[] {
  return Date.parse(leaf.validTo) > systemClock.now()
    ? []
    : [`the certificate in tls_cert expired at ${leaf.validTo}; clients will reject it; renew it, then send SIGHUP`];
}

function contentOf(key: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`${key} names ${file}, which cannot be read: ${reasonOf(error)}`);
  }
}

function parsed<Value>(key: string, file: string, what: string, read: () => Value): Value {
  try {
    return read();
  } catch {
    throw new ConfigError(`${key} names ${file}, which is not a ${what} in PEM format`);
  }
}
