// What receivers do wrong: each fault is named, ends in time, and leaves no connection open.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Problem } from '../../server/domain/notifiers/problems.ts';
import { openOutgoing } from '../../server/outgoing/outgoing.ts';
import { hasOpenssl, newCertificate } from '../support/process/certificate.ts';
import { type Answer, openReceiver, type Receiver } from '../support/receiver.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

const TIMEOUT_MS = 300;

const outgoing = (timeoutMs = 5_000) => openOutgoing({ addresses: 'all', timeoutMs });
const requestTo = (url: string) => ({ url, headers: {}, body: '{}' });

test.each<[Answer, Problem, status: number | null]>([
  [404, 'status', 404],
  [500, 'status', 500],
  ['reset', 'connection_closed', null],
  ['not HTTP', 'protocol', null],
  ['an endless head', 'protocol', null],
  ['endless hints', 'protocol', null],
  ['endless empty lines', 'protocol', null],
  ['other protocol', 'connection_closed', null],
])('%s is %s', async (answer, problem, status) => {
  const receiver = await openReceiver();
  receiver.answerWith(answer);
  expect(await outgoing().post(requestTo(receiver.url))).toEqual({ status, problem });
  await expectClosed(receiver);
});

test.each<Answer>(['never', 'half a head'])('%s ends in time', async (answer) => {
  const receiver = await openReceiver();
  receiver.answerWith(answer);
  expect(await outgoing(TIMEOUT_MS).post(requestTo(receiver.url))).toEqual({ status: null, problem: 'timeout' });
  await expectClosed(receiver);
});

test.each<Answer>(['an endless body', 'half a body'])('%s is not read', async (answer) => {
  const receiver = await openReceiver();
  receiver.answerWith(answer);
  expect(await outgoing().post(requestTo(receiver.url))).toEqual({ status: 200, problem: null });
  await expectClosed(receiver);
});

test('a redirect is not followed, whatever its target', async () => {
  const [receiver, inside] = [await openReceiver(), await openReceiver()];
  receiver.answerWith({ redirect: inside.url });
  expect(await outgoing().post(requestTo(receiver.url))).toEqual({ status: 302, problem: 'redirect' });
  expect(inside.received).toEqual([]);
});

test('a closed port refuses the connection', async () => {
  const url = (await openReceiver()).url.replace('127.0.0.1', '127.0.0.2');
  expect(await outgoing().post(requestTo(url))).toEqual({ status: null, problem: 'connection_refused' });
});

test('a name that does not exist has no address, or cannot be looked up without name servers', async () => {
  const problem = await outgoing(20_000).problemOf('https://nobody.invalid/');
  expect(['no_address', 'lookup_failed']).toContain(problem);
});

test('closing aborts current and later requests', async () => {
  const receiver = await openReceiver();
  receiver.answerWith('never');
  const closed = outgoing();
  const post = closed.post(requestTo(receiver.url));
  await expect.poll(() => receiver.received).toHaveLength(1);
  closed.close();
  expect(await post).toEqual({ status: null, problem: 'stopping' });
  expect(await closed.post(requestTo(receiver.url))).toEqual({ status: null, problem: 'stopping' });
  expect(receiver.received).toHaveLength(1);
  await expectClosed(receiver);
});

describe.skipIf(!hasOpenssl)('TLS', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test('an untrusted certificate is refused, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const receiver = await openReceiver(selfSigned());
    expect(await outgoing().post(requestTo(receiver.url))).toEqual({ status: null, problem: 'certificate' });
    expect(receiver.received).toEqual([]);
  });

  test('HTTP instead of TLS, and TLS instead of HTTP, are reported', async () => {
    const [plain, secure] = [await openReceiver(), await openReceiver(selfSigned())];
    const [toPlain, toSecure] = [plain.url.replace('http', 'https'), secure.url.replace('https', 'http')];
    expect(await outgoing().post(requestTo(toPlain))).toEqual({ status: null, problem: 'protocol' });
    expect(await outgoing().post(requestTo(toSecure))).toEqual({ status: null, problem: 'connection_closed' });
  });
});

function selfSigned(): { cert: Buffer; key: Buffer } {
  const [cert, key] = newCertificate(temporaryDirectory(), '127.0.0.1');
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

async function expectClosed({ connections }: Receiver): Promise<void> {
  await expect.poll(connections).toBe(0);
}
