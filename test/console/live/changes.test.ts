import type { Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { textOf } from '../../support/json.ts';
import { browser, isLive, signedIn } from '../fixture.ts';
import { anotherUser, REFRESH_MS, rowOf } from '../other-users.ts';

describe.skipIf(browser === undefined)('pages that never poll', () => {
  test('members and invites appear and disappear as they change', async () => {
    const { page, hub, networkId, userToken } = await signedIn();
    await neverPoll(page);
    await page.goto(`/networks/${networkId}`);
    await isLive(page);
    const rest = restClient(hub.url, userToken);
    const { body } = await rest.post(`/api/networks/${networkId}/invite`, { role: 'member', max_uses: 2 });
    await page.getByText('0 of 2').waitFor();
    const grace = await anotherUser(hub, 'grace');
    const invite_code = textOf(body, 'invite_code');
    await restClient(hub.url, grace.userToken).post('/api/networks/join', { invite_code });
    await rowOf(page, 'grace').waitFor();
    await page.getByText('1 of 2').waitFor();
    // The member sees the list of a network that she joined after her stream was opened.
    await neverPoll(grace.page);
    await grace.page.goto(`/networks/${networkId}`);
    await rowOf(grace.page, 'ada').waitFor();
    const linus = await anotherUser(hub, 'linus');
    await restClient(hub.url, linus.userToken).post('/api/networks/join', { invite_code });
    await rowOf(grace.page, 'linus').waitFor();
    await fetch(`${hub.url}/api/networks/${networkId}/members/${textOf(linus.user, 'user_id')}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${userToken}` },
    });
    await rowOf(page, 'linus').waitFor({ state: 'detached' });
    await rowOf(grace.page, 'linus').waitFor({ state: 'detached' });
  });

  test('tokens and users appear as they are created', async () => {
    const { page, hub, networkId, userToken } = await signedIn();
    await neverPoll(page);
    await page.goto('/tokens');
    await isLive(page);
    const rest = restClient(hub.url, userToken);
    const { body } = await rest.post('/api/tokens', { name: 'elsewhere', network_id: networkId });
    await rowOf(page, 'elsewhere').waitFor();
    await fetch(`${hub.url}/api/tokens/${textOf(body, 'token_id')}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${userToken}` },
    });
    await rowOf(page, 'elsewhere').waitFor({ state: 'detached' });
    await page.goto('/admin');
    await rowOf(page, 'ada').waitFor();
    await isLive(page);
    await anotherUser(hub, 'grace');
    await rowOf(page, 'grace').waitFor();
  });
});

/** Timers with the interval of polling never fire in this page. */
async function neverPoll(page: Page): Promise<void> {
  await page.addInitScript((interval) => {
    const start = globalThis.setInterval;
    const starting = (act: () => void, ms?: number) => (ms === interval ? 0 : start(act, ms));
    Object.assign(globalThis, { setInterval: starting });
  }, REFRESH_MS);
}
