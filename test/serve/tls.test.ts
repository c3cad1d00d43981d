// Warnings about the transport: an expired certificate, and plain HTTP. Everything else about certificates needs a
// listener and is in the story.
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { transportWarnings } from '../../server/serve/tls.ts';

const OVER_SINCE_2021 = `-----BEGIN CERTIFICATE-----
MIIBFTCBvAIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxsYXRlLmV4YW1wbGUw
HhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAXMRUwEwYDVQQDDAxsYXRl
LmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQo7oy3lg+jvIHPltkU
jgIvBXkOU+3BfNtesj6MGl+PUlm7IqD1nzgyK37XaKw50ynmjwKgjinDX0swswmh
ivV0MAoGCCqGSM49BAMCA0gAMEUCIGRGb4H8k5u7uVJJ5aoE8wWzEZAvvKVexDpz
X0uxKTSaAiEAra+WFoVJpSmnzWxhOWzrLyB7OrKeTcUuv6qvGTSvJpc=
-----END CERTIFICATE-----`;

const HTTPS = { host: '0.0.0.0', trust_proxy: 0, tls_cert: '/etc/hub/cert.pem', public_url: undefined };

test('an expired certificate is served with a warning', () => {
  const leaf = new X509Certificate(OVER_SINCE_2021);
  const nothing = Buffer.alloc(0);
  expect(transportWarnings(HTTPS, { leaf, cert: nothing, key: nothing })).toEqual([
    expect.stringMatching(/^the certificate in tls_cert expired at Jan +1 00:00:00 2021 GMT; clients will reject it/),
  ]);
});

test.each([
  ['http://hub.example', 'public_url begins with http; serve https'],
  ['https://hub.example', undefined],
  ['http://localhost:8080', undefined],
  ['http://[::1]:8080', undefined],
])('a hub on loopback with the public URL %s has the warning %s', (public_url, warning) => {
  const warnings = transportWarnings({ host: '127.0.0.1', trust_proxy: 1, tls_cert: undefined, public_url }, undefined);
  expect(warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
});

test('a hub that others reach over plain HTTP has one warning, whatever its public URL is', () => {
  const config = { host: '0.0.0.0', trust_proxy: 0, tls_cert: undefined, public_url: 'http://hub.example' };
  expect(transportWarnings(config, undefined)).toEqual([expect.stringContaining('others can reach this hub')]);
});

test.each([
  ['0.0.0.0', 0, undefined, 1],
  ['hub.example', 0, undefined, 1],
  ['::', 0, undefined, 1],
  ['127.0.0.1', 0, undefined, 0],
  ['localhost', 0, undefined, 0],
  ['::1', 0, undefined, 0],
  ['0.0.0.0', 1, undefined, 0],
  ['0.0.0.0', 0, '/etc/hub/cert.pem', 0],
])('a hub on %s with %i proxies and the certificate %s has %i warnings', (host, trust_proxy, tls_cert, count) => {
  const warnings = transportWarnings({ host, trust_proxy, tls_cert, public_url: undefined }, undefined);
  expect(warnings).toEqual(Array(count).fill(expect.stringContaining('unencrypted')));
});
