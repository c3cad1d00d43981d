// Reads the TLS certificate and key and checks that they match before they are used.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '../config/config.ts';
import { reasonOf } from '../config/file.ts';
import type { Config } from '../config/keys.ts';
import { transportFindings } from '../domain/health/findings.ts';
import { systemClock } from '../domain/time/clock.ts';

/** Certificate and key as node:tls takes them, and the parsed certificate, for its validity. */
export type Certificate = { cert: Buffer; key: Buffer; leaf: X509Certificate };

/** Undefined if TLS is not configured. Throws a ConfigError that names the key and the file. */
export function readCertificate({ tls_cert, tls_key }: Pick<Config, 'tls_cert' | 'tls_key'>): Certificate | undefined {
  if (tls_cert === undefined || tls_key === undefined) return undefined;
  const [cert, key] = both(
    () => partOf('tls_cert', tls_cert, 'certificate', (content) => new X509Certificate(content)),
    () => partOf('tls_key', tls_key, 'private key without passphrase', (content) => createPrivateKey(content)),
  );
  if (!cert.parsed.checkPrivateKey(key.parsed))
    throw new ConfigError([`tls_key (${tls_key}) does not match the certificate in tls_cert (${tls_cert})`]);
  return { cert: cert.content, key: key.content, leaf: cert.parsed };
}

/** Warnings about the transport, for `config check` and the log at startup. */
export function transportWarnings(
  config: Parameters<typeof transportFindings>[0],
  certificate: Certificate | undefined,
): string[] {
  return [
    ...transportFindings(config).map(({ says, remedy }) => `${says}; ${remedy}`),
    ...(certificate === undefined ? [] : validityWarnings(certificate)),
  ];
}

/** Undefined if clients accept its dates. */
export function whyInvalid({ leaf }: Certificate): string | undefined {
  const now = systemClock.now();
  if (Date.parse(leaf.validTo) <= now) return `expired at ${leaf.validTo}`;
  return Date.parse(leaf.validFrom) > now ? `is not valid before ${leaf.validFrom}` : undefined;
}

export function validityWarnings(certificate: Certificate): string[] {
  const why = whyInvalid(certificate);
  return why === undefined
    ? []
    : [`the certificate in tls_cert ${why}; clients will reject it; replace it, then send SIGHUP`];
}

/** Reports the problems of both files at once. */
function both<First, Second>(first: () => First, second: () => Second): [First, Second] {
  const [one, other] = [attempt(first), attempt(second)];
  if ('value' in one && 'value' in other) return [one.value, other.value];
  const [problem = '', ...others] = [one, other].flatMap((each) => ('problems' in each ? each.problems : []));
  throw new ConfigError([problem, ...others]);
}

function attempt<Value>(read: () => Value): { value: Value } | { problems: readonly string[] } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems };
  }
}

type Part<Parsed> = { content: Buffer; parsed: Parsed };

function partOf<Parsed>(key: string, file: string, what: string, parse: (content: Buffer) => Parsed): Part<Parsed> {
  const content = contentOf(key, file);
  try {
    return { content, parsed: parse(content) };
  } catch {
    throw new ConfigError([`${key} names ${file}, which is not a ${what} in PEM format`]);
  }
}

function contentOf(key: string, file: string): Buffer {
  try {
    // Reading a pipe would hold up the hub until somebody writes to it.
    if (statSync(file).isFile()) return readFileSync(file);
  } catch (error) {
    throw new ConfigError([`${key} names ${file}, which cannot be read: ${reasonOf(error)}`]);
  }
  throw new ConfigError([`${key} names ${file}, which is not a regular file`]);
}
