// The rate limits of register and login count clients. An IPv6 client is its /64, and a flood of addresses evicts only
// the oldest ones.
import { describe, expect, test } from 'vitest';
import { MEBIBYTE } from '../../../server/domain/limits.ts';
import { BoundedMap } from '../../../server/http/limits/bounded-map.ts';
import { heapUsed } from '../../support/garbage.ts';
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

describe('at an address at its limit', () => {
  const HOME = '127.0.0.1'; // ann has registered there

  async function openAtLimit() {
    const { url } = await serveHub({ trust_proxy: 1 });
    const login = (username: string, password: string, address = HOME) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
      return sendRaw(url, { path: '/api/auth/login', headers, body: JSON.stringify({ username, password }) });
    };
    for (let count = 0; count < 10; count++) expect(await login('nobody', 'wrong!')).toMatchObject({ status: 401 });
    return login;
  }

  test('a user who has logged in from it before still logs in, and all others are refused', async () => {
    const login = await openAtLimit();
    const { status, headers } = await login('Ann', 'secret');
    expect([status, headers['retry-after'], headers['x-ratelimit-remaining']]).toEqual([200, undefined, '0']);
    for (const username of ['nobody', 'ben', 'x'.repeat(100), 'a\0'])
      expect(await login(username, 'secret')).toMatchObject({
        status: 429,
        headers: { 'retry-after': expect.stringMatching(/^[1-9]/) },
        body: {
          error: 'rate_limited',
          message: 'at most 10 logins per minute from one address; wait and try again',
        },
      });
    expect(await login('ann', 'wrong!', '198.51.100.7')).toMatchObject({ status: 401 });
  });

  test('guesses at their password are limited to ten a minute', async () => {
    const login = await openAtLimit();
    for (let count = 0; count < 10; count++) expect(await login('ann', 'wrong!')).toMatchObject({ status: 401 });
    expect(await login('ann', 'secret')).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  });

  test('their logins with the right password count as well', async () => {
    const login = await openAtLimit();
    for (let count = 0; count < 10; count++) expect(await login('ann', 'secret')).toMatchObject({ status: 200 });
    expect(await login('ann', 'secret')).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  });

  test.each([
    ['without JSON', 'username=ann', 'application/x-www-form-urlencoded'],
    ['that is broken', '{"username":"ann"', 'application/json'],
    ['that is too long', JSON.stringify({ username: 'ann', password: 'x'.repeat(20_000) }), 'application/json'],
  ])('a body %s is refused like any other', async (_, body, type) => {
    const { url } = await serveHub({ trust_proxy: 1 });
    const ask = () =>
      sendRaw(url, { path: '/api/auth/login', headers: { 'content-type': type, 'x-forwarded-for': HOME }, body });
    for (let count = 0; count < 10; count++) expect((await ask()).status).not.toBe(429);
    expect((await ask()).status).toBe(429);
  });
});

test('a bounded map does not grow with what is set again and again', () => {
  const map = new BoundedMap<number, number>(10);
  for (let time = 0; time < 1_000; time++) map.set(time % 5, time);
  const before = heapUsed();
  for (let time = 0; time < 400_000; time++) map.set(time % 5, time);
  expect(heapUsed() - before).toBeLessThan(4 * MEBIBYTE);
  expect(map.size).toBe(5);
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
