// A token, and a user over all tokens, holds so many streams open, and so many waits and subscriptions; closing one makes room
// for another.
import { expect, onTestFinished, test } from 'vitest';
import { MAX_STREAMS_PER_TOKEN, MAX_WAITS_PER_TOKEN } from '../../../server/domain/limits.ts';
import { STREAMS_SHARE, within } from '../../../server/http/limits/connection-limits.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { perform } from '../../../server/operations/operation.ts';
import { legacyPost, modernPost, send as post } from '../../support/http/mcp-posts.ts';
import { newNetworkToken, serveHub, type ServedHub } from '../../support/served-hub.ts';

type Opening = (hub: ServedHub, token: string, signal: AbortSignal) => Promise<Response>;

const stream: Opening = (hub, token, signal) => fetch(`${hub.url}/events/bob`, { headers: { Authorization: `Bearer ${token}` }, signal });
const wait: Opening = (hub, token, signal) =>
  post(hub.url, token, legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300 } }), {}, signal);
const subscription: Opening = (hub, token, signal) => post(hub.url, token, modernPost('subscriptions/listen', { notifications: {} }), {}, signal);

test.each<[string, number, readonly [Opening, ...Opening[]]]>([
  ['event streams', MAX_STREAMS_PER_TOKEN, [stream]],
  ['waits and subscriptions', MAX_WAITS_PER_TOKEN, [wait, subscription]],
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
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(Array.from({ length: 5 }, () => [429, '30']));
  expect(await refused[0]?.json()).toMatchObject({ error: 'rate_limited', message: `this token has its ${max} ${what} open; close one first` });
  if (what === 'event streams') expect((await open(0, hub.userToken)).status).toBe(200); // another token's
  lines[opened.findIndex(({ status }) => status === 200)]?.abort();
  await expect.poll(async () => (await open(0)).status).toBe(200);
});

test.each<[string, 'max_streams_per_user' | 'max_waits_per_user', Opening]>([
  ['event streams', 'max_streams_per_user', stream],
  ['waits and subscriptions', 'max_waits_per_user', wait],
])('%s of one user, whatever the number of tokens', async (what, key, opening) => {
  const hub = await serveHub({ [key]: 3 });
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const tokens = await Promise.all(Array.from({ length: 5 }, () => newNetworkToken(hub)));
  const opened = await Promise.all(tokens.map((token) => opening(hub, token, leaving.signal)));
  const refused = opened.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(Array.from({ length: 2 }, () => [429, '30']));
  expect(await refused[0]?.json()).toMatchObject({
    error: 'rate_limited', message: `this user has its 3 ${what} open; close one first, or ask the operator of the hub to raise ${key}`,
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
])('of %i connections, with a quota of %i, %i may stay open, and %i of one user', (connections, quota, all, perUser) => {
  const asked = { all: 20_000, perToken: 100, perUser: { max: quota, key: 'max_streams_per_user' } } as const;
  expect(within(connections, STREAMS_SHARE, asked)).toEqual({ all, perToken: 100, perUser: { max: perUser, key: 'max_streams_per_user' } });
});
