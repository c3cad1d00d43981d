// Which addresses the hub contacts for its users: public ones, unless all are allowed. The address that was checked is
// the one that is contacted.
import { expect, test } from 'vitest';
import { openOutgoing } from '../../server/outgoing/outgoing.ts';
import { openReceiver } from '../support/receiver.ts';

const TIMEOUT_MS = 5_000;
const PUBLIC = '198.41.0.4';

const requestTo = (url: string) => ({ url, headers: {}, body: '{}' });
const outgoing = (addresses: 'public' | 'all', resolve?: (name: string) => Promise<readonly string[]>) =>
  openOutgoing({ addresses, timeoutMs: TIMEOUT_MS, ...(resolve !== undefined && { resolve }) });

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.0.0.1.',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2001::1]',
  '[2002:7f00:1::]',
  '[2001:db8::1]',
  '[fc00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  'localhost',
  'localhost.',
  'app.localhost',
])('%s is private, and is refused', async (host) => {
  const strict = outgoing('public');
  expect(await strict.problemOf(`http://${host}:9/`)).toBe('private_address');
  expect(await strict.post(requestTo(`http://${host}:9/`))).toEqual({ status: null, problem: 'private_address' });
});

test.each([PUBLIC, '172.32.0.1', '11.0.0.1', '100.128.0.1', '[2001:500:2::c]'])('%s is public', async (host) => {
  expect(await outgoing('public').problemOf(`https://${host}/`)).toBeUndefined();
});

test('a name with one private address among public ones is refused', async () => {
  for (const found of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1%eth0']) {
    const both = outgoing('public', async () => [PUBLIC, found]);
    expect(await both.problemOf('https://both.example/')).toBe('private_address');
  }
});

test('a name that becomes private after its notifier was created is refused at the next request', async () => {
  const receiver = await openReceiver();
  const answers = [[PUBLIC], ['127.0.0.1']];
  const rebinding = outgoing('public', async () => answers.shift() ?? []);
  const url = receiver.url.replace('127.0.0.1', 'rebinding.example');
  expect(await rebinding.problemOf(url)).toBeUndefined();
  expect(await rebinding.post(requestTo(url))).toEqual({ status: null, problem: 'private_address' });
  expect(receiver.received).toEqual([]);
});

test('a request resolves its name once and contacts only the checked address', async () => {
  const [checked, other] = [await openReceiver(), '127.0.0.2'];
  const answers = [['127.0.0.1']];
  const rebinding = outgoing('all', async () => answers.shift() ?? [other]);
  const url = checked.url.replace('127.0.0.1', 'rebinding.example');
  expect(await rebinding.post(requestTo(url))).toEqual({ status: 204, problem: null });
  expect(checked.received).toMatchObject([{ headers: { host: new URL(url).host } }]);
});

test('a lookup that gets no response ends after the time limit', async () => {
  const hanging = openOutgoing({ addresses: 'all', timeoutMs: 50, resolve: () => new Promise(() => {}) });
  expect(await hanging.problemOf('https://slow.example/')).toBe('timeout');
  expect(await hanging.post(requestTo('https://slow.example/'))).toEqual({ status: null, problem: 'timeout' });
});

test('a name without addresses is reported', async () => {
  expect(await outgoing('public', async () => []).problemOf('https://empty.example/')).toBe('no_address');
});
