// The limits that do not belong to one request member. The others are tested with their endpoint or tool.
import { expect } from 'vitest';
import { KEYS } from '../../../server/config/keys.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import type { Reply, TestNetwork } from './fixture.ts';
import { firstRefused, LATE } from './late.ts';
import type { Row } from './row-tests.ts';

export const LIMIT_ROWS: readonly Row[] = [
  ['register: 30 requests per minute per IP', (network) => isLimited(network, '/api/auth/register', 30)],
  ['login: 10 requests per minute per IP', (network) => isLimited(network, '/api/auth/login', 10)],
  [
    '§10 register and login are counted separately',
    async (network) => {
      const headers = { 'X-Forwarded-For': '198.51.100.7' };
      const login = () => network.fixture.ask('POST', '/api/auth/login', { headers, body: {} });
      for (let count = 0; count < 10; count++) await login();
      expect((await firstRefused(login, is429)).status).toBe(429);
      expect((await network.fixture.ask('POST', '/api/auth/register', { headers, body: {} })).status).toBe(400);
    },
  ],
  [
    '§10 failed logins: 10 per minute per username, then the correct password is rejected too',
    async ({ fixture }) => {
      const { username } = await fixture.newUser();
      const login = (password: string) => fixture.ask('POST', '/api/auth/login', { body: { username, password } });
      for (let count = 0; count < 10; count++) expect((await login('wrong')).status).toBe(401);
      const response = await login('correct horse');
      expect(response).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  ],
  [
    '§10 without trusted proxies the address is the socket’s, whatever the headers',
    async ({ fixture }) => {
      const { ask } = await fixture.hubWith(['--trust-proxy', '0']);
      const login = () => ask('POST', '/api/auth/login', { body: {} });
      for (let count = 0; count < 10; count++) await login();
      expect((await firstRefused(login, is429)).status).toBe(429);
    },
  ],
  [
    'heartbeat recommendation: every 3 minutes',
    async () => {
      expect(TOOLS.find(({ operation }) => operation.name === 'report_status')?.operation.summary).toContain(
        'every 3 minutes',
      );
    },
  ],
  [
    'offline marking: no heartbeat for over 10 minutes',
    async () => {
      expect(KEYS.offline_after_seconds.fallback).toBe('600');
    },
  ],
  [
    'artifacts: 50 items are accepted, 51 are not',
    async (network) => {
      const complete = async (count: number) =>
        (
          await network.tool('report_completion', {
            alias: 'bob',
            task: 't',
            result: 'r',
            artifacts: Array(count).fill('a'),
          })
        ).error;
      expect([await complete(50), await complete(51)]).toEqual([undefined, 'invalid_arguments']);
    },
  ],
  [
    '§4 identical sends: the 20th within 5 minutes is duplicate_send',
    async (network) => {
      const send = async (args: object = {}) =>
        (await network.tool('send_message', { alias: 'bob', message: 'again', from_session: 'alice', ...args })).error;
      for (let count = 1; count < 20; count++) expect(await send(), `send ${count}`).toBeUndefined();
      const isRefused = (error: unknown): boolean => error !== undefined;
      expect(await firstRefused(send, isRefused, 3 * LATE)).toBe('duplicate_send');
      expect(await send({ message: 'another' })).toBeUndefined();
      expect(await send({ alias: 'carol' })).toBeUndefined();
      expect(await send({ from_session: 'dave' })).toBeUndefined();
    },
  ],
];

let addresses = 0;
const is429 = ({ status }: Reply): boolean => status === 429;

/** Rejected bodies count as well, without the cost of hashing a password. */
async function isLimited({ fixture }: TestNetwork, path: string, perMinute: number): Promise<void> {
  const headers = { 'X-Forwarded-For': `203.0.113.${++addresses}` };
  const ask = () => fixture.ask('POST', path, { headers, body: {} });
  for (let count = 1; count <= perMinute; count++) {
    const response = await ask();
    expect(response.status, `request ${count}`).toBe(400);
    expect(response.headers.get('x-ratelimit-limit')).toBe(String(perMinute));
    const late = Number(response.headers.get('x-ratelimit-remaining')) - (perMinute - count);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThanOrEqual(LATE);
  }
  const refused = await firstRefused(ask, is429);
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited', message: expect.any(String) } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await fixture.ask('POST', path, { body: {} })).status).toBe(400);
}
