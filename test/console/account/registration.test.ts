// Restricted registration, and the public URL in the client configuration.
import { describe, expect, test } from 'vitest';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { textOf } from '../../support/json.ts';
import { setupTokenOf } from '../../support/process/running-hub.ts';
import { browser, descriptionOf, emptyHub, fillIn, isLive } from '../fixture.ts';

describe.skipIf(browser === undefined)('a hub with restricted registration', () => {
  test('requires an invite code, rejects an invalid one and opens the network of a valid one', async () => {
    const { page, hub } = await emptyHub({ failures: ['400 /api/auth/register'] }, ['--registration', 'invite']);
    const ada = await register(hub.url, 'ada');
    const { body } = await restClient(hub.url, ada.userToken).post(`/api/networks/${ada.networkId}/invite`, {});
    await page.goto('/sign-up');
    await fillIn(page, 'bob', PASSWORD);
    const code = page.getByLabel('Invite code');
    const create = page.getByRole('button', { name: 'Create account' });
    await code.fill('no code at all');
    await create.click();
    expect(await descriptionOf(page, 'Invite code')).toContain('Enter the invite code');
    await code.fill('inv_000000000000000000000000');
    await create.click();
    await page.getByText('This invite does not exist.').waitFor();
    await code.fill(`${hub.url}/#join=${textOf(body, 'invite_code')}`);
    await create.click();
    await isLive(page);
    expect(await page.evaluate(() => sessionStorage.getItem('agenthub.account'))).toContain(ada.networkId);
  });

  test('shows that registration is closed and hides the registration form', async () => {
    const { page, hub } = await emptyHub({}, ['--registration', 'closed']);
    await register(hub.url, 'ada');
    await page.goto('/sign-up');
    await page.getByText('Registration is closed on this hub.').waitFor();
    expect(await page.getByLabel('Username').count()).toBe(0);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Username').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Create an account' }).count()).toBe(0);
  });
});

test.skipIf(browser === undefined)('the client configuration contains the public URL', async () => {
  const { page, hub } = await emptyHub({}, ['--public-url', 'https://hub.example.org']);
  await page.goto(`/#setup=${await setupTokenOf(hub)}`);
  await fillIn(page, 'ada', PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await isLive(page);
  await page.getByText('AGENTHUB_URL=https://hub.example.org').waitFor();
});
