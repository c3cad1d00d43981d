// Limits on open streams, waits and subscriptions, per token and per user. Closing one makes room for another.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_STREAMS_PER_TOKEN, MAX_WAITS_PER_TOKEN } from '../../../server/domain/limits.ts';
import { openConnectionLimits, STREAMS_SHARE, within } from '../../../server/http/limits/connection-limits.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { perform } from '../../../server/operations/operation.ts';
import { legacyPost, modernPost, send as post } from '../../support/http/mcp-posts.ts';
import { newNetworkToken, type ServedHub, serveHub } from '../../support/served-hub.ts';

type Opening = (hub: ServedHub, token: string, signal: AbortSignal) => Promise<Response>;

const stream: Opening = (hub, token, signal) =>
  fetch(`${hub.url}/events/bob`, { headers: { Authorization: `Bearer ${token}` }, signal });
const wait: Opening = (hub, token, signal) =>
  post(
    hub.url,
    token,
    legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300 } }),
    {},
    signal,
  );
const subscription: Opening = (hub, token, signal) =>
  post(hub.url, token, modernPost('subscriptions/listen', { notifications: {} }), {}, signal);

test.each<[string, number, readonly [Opening, ...Opening[]]]>([
  ['event streams', MAX_STREAMS_PER_TOKEN, [stream]],
  ['waiting calls and subscriptions', MAX_WAITS_PER_TOKEN, [wait, subscription]],
])('%s of one token', async (what, max, openings) => {
  const hub = await serveHub();
  const lines: AbortController[] = [];
  onTestFinished(() => lines.forEach((line) => line.abort()));
  const open = (number: number, token = hub.networkToken): Promise<Response> => {
    const line = new AbortController();
    lines.push(line);
    return (openings[number % openings.length] ?? openings[0])(hub, token, line.signal);
  };
  const opened = await Promise.all(Array.from({ length: max + 5 }, (_, number) => open(number)));
  const refused = opened.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    Array.from({ length: 5 }, () => [429, '30']),
  );
  expect(await refused[0]?.json()).toMatchObject({
    error: 'rate_limited',
    message: `this token has reached its limit of ${max} open ${what}; close one first`,
  });
  if (what === 'event streams') expect((await open(0, hub.userToken)).status).toBe(200); // another token's stream
  lines[opened.findIndex(({ status }) => status === 200)]?.abort();
  await expect.poll(async () => (await open(0)).status).toBe(200);
});

test.each<[string, 'max_streams_per_user' | 'max_waits_per_user', Opening]>([
  ['event streams', 'max_streams_per_user', stream],
  ['waiting calls and subscriptions', 'max_waits_per_user', wait],
])('%s of one user, whatever the number of tokens', async (what, key, opening) => {
  const hub = await serveHub({ [key]: 3 });
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const tokens = await Promise.all(Array.from({ length: 5 }, () => newNetworkToken(hub)));
  const opened = await Promise.all(tokens.map((token) => opening(hub, token, leaving.signal)));
  const refused = opened.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    Array.from({ length: 2 }, () => [429, '30']),
  );
  expect(await refused[0]?.json()).toMatchObject({
    error: 'rate_limited',
    message: `this user has reached the limit of 3 open ${what}; close one first, or ask the operator of the hub to raise ${key}`,
  });
  const other = await perform(register, hub.hub, { ip: '127.0.0.1' }, { username: 'bea', password: 'secret' });
  expect((await opening(hub, other.network_token, leaving.signal)).status).toBe(200);
});

test.each<[connections: number, quota: number, all: number, perUser: number]>([
  [Infinity, 2_000, 20_000, 2_000],
  [3_276, 2_000, 2_047, 819],
  [3_276, 500, 2_047, 500],
  [3_276, 0, 2_047, 0], // no limit
  [1, 2_000, 1, 1],
])('of %i connections, with a quota of %i, %i can stay open, and %i per user', (connections, quota, all, perUser) => {
  const limits = { all: 20_000, perToken: 100, perUser: { max: quota, key: 'max_streams_per_user' } } as const;
  expect(within(connections, STREAMS_SHARE, limits)).toEqual({
    all,
    perToken: 100,
    perUser: { max: perUser, key: 'max_streams_per_user' },
  });
});

/** A hub with ten connections in total, and the connections it closed to make room. */
function openSmall() {
  const limits = openConnectionLimits('waits', {
    all: 10,
    perToken: 10,
    perUser: { max: 8, key: 'max_waits_per_user' },
  });
  const ended: string[] = [];
  let number = 0;
  const take = (user: string, count = 1): ServerResponse => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const name = `${user} ${++number}`;
    limits.take(response, { user_id: user, token_id: name }, () => ended.push(name), count);
    return response;
  };
  return { limits, ended, take };
}

test('at the total limit, the newest connection of the user with the most gives way to a user with fewer', () => {
  const { limits, ended, take } = openSmall();
  for (let count = 0; count < 7; count++) take('mallory');
  for (let count = 0; count < 3; count++) take('ada');
  take('bob');
  take('bob');
  expect(ended).toEqual(['mallory 7', 'mallory 6']);
  expect(limits.count()).toBe(10);
});

test('a user who would hold as many as the user with the most is rejected', () => {
  const { ended, take } = openSmall();
  for (let count = 0; count < 5; count++) take('mallory');
  for (let count = 0; count < 5; count++) take('ada');
  expect(() => take('ada')).toThrow('the hub has reached its limit of 10 waits; try again later');
  expect(() => take('bob', 5)).toThrow('the hub has reached its limit of 10 waits');
  expect(ended).toEqual([]);
});

test('a connection closed to make room is released once, even if its response closes later', () => {
  const { limits, take } = openSmall();
  const evicted = [1, 2, 3, 4, 5, 6, 7, 8].map(() => take('mallory'));
  take('ada', 2);
  take('bob');
  evicted.forEach((response) => response.emit('close'));
  expect(limits.count()).toBe(3);
});

test('other users still get a stream and a wait while a few users hold all connections', async () => {
  const hub = await serveHub({}, { maxConnections: 16 }); // ten streams, four waits
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const tokens = [hub.networkToken];
  for (const username of ['bea', 'cid']) {
    const { network_token } = await perform(register, hub.hub, { ip: '127.0.0.1' }, { username, password: 'secret' });
    tokens.push(network_token);
  }
  const flood = [stream, wait].flatMap((opening) =>
    Array.from({ length: 12 }, (_, number) => opening(hub, tokens[number % 3] ?? '', leaving.signal)),
  );
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  expect([...statuses].toSorted()).toEqual([200, 429, 503].filter((status) => statuses.has(status)));
  const { network_token } = await perform(
    register,
    hub.hub,
    { ip: '127.0.0.1' },
    { username: 'dan', password: 'secret' },
  );
  expect((await stream(hub, network_token, leaving.signal)).status).toBe(200);
  expect((await wait(hub, network_token, leaving.signal)).status).toBe(200);
});
