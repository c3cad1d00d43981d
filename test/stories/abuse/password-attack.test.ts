// An attack on passwords: guesses at one user's password, and more logins than the hub can check. The user can still
// sign in from a known address and change the password. Everyone else is rejected at once with a retry time.
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { type Reply, sendRaw } from '../../support/http/raw-request.ts';
import { PASSWORD, restClient } from '../../support/http/rest-client.ts';
import { textOf } from '../../support/json.ts';
import { hubOf, hubOfAda } from '../../support/process/registered-hub.ts';
import { BEHIND_A_PROXY, type RunningHub, storyOnce } from '../../support/process/running-hub.ts';

const HOME = '192.0.2.1';
const LATER_MS = 100_000;

function post({ url }: RunningHub, path: string, from: string, body: object, token?: string): Promise<Reply> {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': from,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return sendRaw(url, { path, headers, body: JSON.stringify(body) });
}

const login = (hub: RunningHub, from: string, password: string, username = 'ada') =>
  post(hub, '/api/auth/login', from, { username, password });

async function figure({ url }: RunningHub, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

storyOnce('an attack on passwords', (target) => {
  test('guesses from elsewhere block unknown addresses, but neither the user nor a password change', async () => {
    const { hub, userToken: token } = await hubOfAda({ target, args: BEHIND_A_PROXY });
    expect((await login(hub, HOME, PASSWORD)).status).toBe(200);
    const refused: string[] = [];
    // Attempts count on arrival, so this test does not wait until they are checked.
    const guesses = Array.from({ length: 15 }, async (_, index) => {
      const { status, body } = await login(hub, `203.0.113.${index}`, 'a guess');
      if (status === 429) refused.push(textOf(body, 'error'));
      return status;
    });
    await vi.waitFor(() => expect(refused).toEqual(Array(5).fill('rate_limited')), { timeout: LATER_MS });

    const unknownAddress = await login(hub, '198.51.100.7', PASSWORD);
    expect(unknownAddress).toMatchObject({
      status: 429,
      headers: { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9' },
      body: { error: 'rate_limited' },
    });
    expect(Number(unknownAddress.headers['retry-after'])).toBeGreaterThan(0);
    expect(await login(hub, HOME, PASSWORD)).toMatchObject({ status: 200, body: { user: { username: 'ada' } } });
    const change = { old_password: PASSWORD, new_password: 'another horse' };
    const changes = await Promise.all(
      [1, 2].map((last) => post(hub, '/api/auth/password', `198.51.100.${last}`, change, token)),
    );
    expect(changes.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect((await login(hub, HOME, 'another horse')).status).toBe(200);
    expect((await Promise.all(guesses)).sort()).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
  });

  test('users who change their passwords repeatedly block no one from signing in', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `flood_${index}`);
    const [hub, , ...flooding] = await hubOf(['ada', ...names], { target, args: BEHIND_A_PROXY });
    expect((await login(hub, HOME, PASSWORD)).status).toBe(200);
    const outcomes = new Map<string, number>();
    let isOver = false;
    const flood = flooding.map(async ({ userToken }) => {
      for (let refused = 0; !isOver && refused < 20; ) {
        const { status, body } = await post(
          hub,
          '/api/auth/password',
          '203.0.113.7',
          { old_password: PASSWORD, new_password: PASSWORD },
          userToken,
        );
        const outcome = status === 200 ? 'changed' : textOf(body, 'error');
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (status !== 200) refused += 1;
      }
    });
    await vi.waitFor(async () => expect(await figure(hub, 'agenthub_passwords_waiting')).toBeGreaterThan(4), {
      timeout: LATER_MS,
      interval: 5,
    });
    for (let count = 0; count < 3; count++) expect(await login(hub, HOME, PASSWORD)).toMatchObject({ status: 200 });
    await vi.waitFor(() => expect(outcomes.get('changed') ?? 0).toBeGreaterThan(3), { timeout: LATER_MS });
    isOver = true;
    await Promise.all(flood);
    expect(outcomes.get('unavailable')).toBeGreaterThan(0); // an address has its share of the queue
  });

  test('of 100 concurrent logins 32 are queued, the others are rejected at once, and the hub keeps running', async () => {
    const { hub } = await hubOfAda({ target, args: BEHIND_A_PROXY });
    const before = await figure(hub, 'agenthub_passwords_hashed_total');
    const disconnect = new AbortController();
    const responses: Response[] = [];
    const requests = Array.from({ length: 100 }, async (_, index) => {
      responses.push(await fetchLogin(hub, index, disconnect.signal));
    });
    await vi.waitFor(() => expect(responses.length).toBeGreaterThan(60), { timeout: LATER_MS });
    const waiting = await figure(hub, 'agenthub_passwords_waiting');
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThanOrEqual(32);
    expect((await restClient(hub.url).get('/health')).status).toBe(200);
    expect((await figure(hub, 'agenthub_passwords_hashed_total')) - before).toBeLessThan(12);

    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(responses.length - 12);
    for (const response of refused) {
      const { headers } = response;
      expect([headers.get('retry-after'), headers.get('x-ratelimit-limit')]).toEqual(['10', '10']);
      expect(await response.json()).toMatchObject({ error: 'unavailable' });
    }
    disconnect.abort();
    await Promise.allSettled(requests);
  });

  test('clients that disconnect while queued cost nothing', async () => {
    const { hub } = await hubOfAda({ target, args: BEHIND_A_PROXY });
    const requests = [
      ...Array.from({ length: 25 }, (_, index) => hangingLogins(hub, [index])),
      hangingLogins(hub, range(25, 40)),
    ];
    await vi.waitFor(async () => expect(await figure(hub, 'agenthub_passwords_waiting')).toBeGreaterThan(20), {
      timeout: LATER_MS,
    });
    const before = await figure(hub, 'agenthub_passwords_hashed_total');
    for (const one of requests) one.destroy();
    await vi.waitFor(async () => expect(await figure(hub, 'agenthub_passwords_waiting')).toBe(0), {
      timeout: LATER_MS,
    });
    expect((await figure(hub, 'agenthub_passwords_hashed_total')) - before).toBeLessThan(8);
    expect((await login(hub, HOME, 'a guess')).status).toBe(401);
    expect(hub.output()).not.toContain('"level":"error"');
  });
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

function fetchLogin({ url }: RunningHub, number: number, signal: AbortSignal): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.0.0.${number}` };
  const body = JSON.stringify({ username: `user_${number}`, password: 'a guess' });
  return fetch(`${url}/api/auth/login`, { method: 'POST', headers, body, signal });
}

/** Sent one after another on a connection, without waiting for a response. */
function hangingLogins({ url }: RunningHub, numbers: readonly number[]): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) })
    .on('error', () => {})
    .resume();
  socket.write(numbers.map(loginText).join(''));
  return socket;
}

function loginText(number: number): string {
  const body = JSON.stringify({ username: `user_${number}`, password: 'a guess' });
  const headers = [
    'Host: localhost',
    `X-Forwarded-For: 10.0.1.${number}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return `POST /api/auth/login HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
