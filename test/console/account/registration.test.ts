// Registering at a hub that does not take everybody, and the address that others are given.
import { describe, expect, test } from 'vitest';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { textOf } from '../../support/json.ts';
import { browser, descriptionOf, emptyHub, fillIn, isLive } from '../scenes.ts';

describe.skipIf(browser === undefined)('a hub that does not take everybody', () => {
  test('asks for the invite code, says which is no good, and begins in the network of the right one', async () => {
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

  test('says that it is closed, and offers nothing it does not have', async () => {
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

test.skipIf(browser === undefined)('the lines to connect an agent with name the public address', async () => {
  const { page, hub } = await emptyHub({}, ['--public-url', 'https://hub.example.org']);
  await page.goto(`/#setup=${/#setup=(\w+)/.exec(hub.output())?.[1]}`);
  await fillIn(page, 'ada', PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await isLive(page);
  await page.getByText('https://hub.example.org/mcp').first().waitFor();
});
