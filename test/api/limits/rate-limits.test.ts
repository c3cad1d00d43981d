// The rate limits of register and login count clients. An IPv6 client is its /64, and a flood of addresses evicts only
// the oldest ones.
import { expect, test } from 'vitest';
import { BoundedMap } from '../../../server/http/limits/bounded-map.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { serveHub } from '../../support/served-hub.ts';

async function openLimited() {
  const { url } = await serveHub({ trust_proxy: 1 });
  return async (path: 'login' | 'register', address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
    const {
      status,
      headers: { 'x-ratelimit-remaining': remaining },
    } = await sendRaw(url, { path: `/api/auth/${path}`, headers, body: '{}' });
    return [status, Number(remaining)];
  };
}

test.each([
  ['login', 10],
  ['register', 30],
] as const)('%s: ever new addresses of one /64 share one count, and another /64 has its own', async (path, max) => {
  const ask = await openLimited();
  for (let count = 1; count <= max; count++)
    expect(await ask(path, `2001:db8:1:2::${count.toString(16)}`)).toEqual([400, max - count]);
  expect(await ask(path, '2001:db8:1:2:ffff:ffff:ffff:ffff')).toEqual([429, 0]);
  expect(await ask(path, '2001:db8:1:3::1')).toEqual([400, max - 1]);
});

test('an IPv4 address counts as one client in any notation, and so does text that is not an address', async () => {
  const ask = await openLimited();
  expect(await ask('login', '192.0.2.1')).toEqual([400, 9]);
  expect(await ask('login', '::ffff:192.0.2.1')).toEqual([400, 8]);
  expect(await ask('login', '192.0.2.1:50000')).toEqual([400, 7]);
  expect(await ask('login', 'x'.repeat(1_000))).toEqual([400, 9]);
  expect(await ask('login', 'y'.repeat(1_000))).toEqual([400, 8]);
});

test('a bounded map evicts the entry set longest ago and keeps one that was set again', () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c', 'a', 'd'].entries()) map.set(key, index);
  expect([...map]).toEqual([
    ['c', 2],
    ['a', 3],
    ['d', 4],
  ]);
  map.delete('c');
  for (const key of ['e', 'f']) map.set(key, 0);
  expect([...map.keys()]).toEqual(['d', 'e', 'f']);
  for (let key = 0; key < 10_000; key++) map.set(String(key), key);
  expect([...map.keys()]).toEqual(['9997', '9998', '9999']);
});
