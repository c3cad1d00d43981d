// The warning about an expired certificate. Everything else about certificates needs a listener and is in the story.
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { warningsOf } from '../../server/serve/tls.ts';

const OVER_SINCE_2021 = `-----BEGIN CERTIFICATE-----
MIIBFTCBvAIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxsYXRlLmV4YW1wbGUw
HhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAXMRUwEwYDVQQDDAxsYXRl
LmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQo7oy3lg+jvIHPltkU
jgIvBXkOU+3BfNtesj6MGl+PUlm7IqD1nzgyK37XaKw50ynmjwKgjinDX0swswmh
ivV0MAoGCCqGSM49BAMCA0gAMEUCIGRGb4H8k5u7uVJJ5aoE8wWzEZAvvKVexDpz
X0uxKTSaAiEAra+WFoVJpSmnzWxhOWzrLyB7OrKeTcUuv6qvGTSvJpc=
-----END CERTIFICATE-----`;

test('an expired certificate is served with a warning', () => {
  const leaf = new X509Certificate(OVER_SINCE_2021);
  const nothing = Buffer.alloc(0);
  expect(warningsOf({ leaf, cert: nothing, key: nothing })).toEqual([
    expect.stringMatching(/^the certificate in tls_cert expired at Jan +1 00:00:00 2021 GMT; clients will reject it/),
  ]);
});
