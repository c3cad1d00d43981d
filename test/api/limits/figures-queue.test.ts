// Requests for figures of one user run a few at a time. The others wait in order, up to a limit.
import { expect, onTestFinished, test } from 'vitest';
import { MAX_FIGURES_AT_WORK, MAX_WAITING_FIGURES } from '../../../server/domain/limits.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf } from '../../support/json.ts';
import { listen, newNetworkToken, type ServedHub, serveHub } from '../../support/served-hub.ts';

const PATHS = ['/api/stats/agents', '/api/stats/figures'];

/** A hub that answers no request for figures until `open` is called. `begun` counts those it has begun. */
async function openHeld() {
  const served = await serveHub();
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const read: ServedHub['hub']['store']['read'] = async (work, scope) => {
    if (scope !== undefined && 'recipient' in scope) {
      begun += 1;
      await gate.promise;
    }
    return served.hub.store.read(work, scope);
  };
  const { url } = await listen({ ...served.hub, store: { ...served.hub.store, read } });
  onTestFinished(() => gate.resolve());
  return { served, url, open: gate.resolve, begun: () => begun };
}

test('with the queue full, one more request gets 429, whichever of them it is', async () => {
  const { served, url, open, begun } = await openHeld();
  const ask = restClient(url, served.networkToken);
  const all = Array.from({ length: MAX_FIGURES_AT_WORK + MAX_WAITING_FIGURES + 2 }, (_, index) =>
    ask.get(PATHS[index % 2] ?? ''),
  );
  const refused = await Promise.race(all);
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: 'rate_limited',
      message: 'this user has 500 queued requests for figures; wait until some have finished',
    },
  });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(begun()).toBe(MAX_FIGURES_AT_WORK);
  open();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([
    ...Array(MAX_FIGURES_AT_WORK + MAX_WAITING_FIGURES).fill(200),
    ...Array(2).fill(429),
  ]);
});

test('a request whose token is revoked while it waits gets 401, and one whose client leaves is dropped', async () => {
  const { served, url, open, begun } = await openHeld();
  const other = await newNetworkToken(served);
  const first = Array.from({ length: MAX_FIGURES_AT_WORK }, () =>
    restClient(url, served.networkToken).get(PATHS[0] ?? ''),
  );
  await expect.poll(begun).toBe(MAX_FIGURES_AT_WORK);
  const waiting = restClient(url, other).get(PATHS[0] ?? '');
  const leaving = new AbortController();
  const left = fetch(`${url}${PATHS[0]}`, {
    headers: { Authorization: `Bearer ${served.networkToken}` },
    signal: leaving.signal,
  });
  const { body } = await restClient(served.url, served.userToken).get('/api/tokens');
  const revoked = listOf(body, 'tokens').find(({ name }) => name === 'one more');
  const headers = { Authorization: `Bearer ${served.userToken}` };
  await fetch(`${served.url}/api/tokens/${revoked?.['token_id']}`, { method: 'DELETE', headers });
  leaving.abort();
  await expect(left).rejects.toThrow();
  open();
  expect((await waiting).status).toBe(401);
  for (const each of first) expect((await each).status).toBe(200);
});
