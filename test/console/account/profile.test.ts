import { describe, expect, test } from 'vitest';
import { PASSWORD, restClient } from '../../support/http/rest-client.ts';
import { browser, emptyHub, goTo, openMenu, searchOf, signedIn, signedInByForm } from '../fixture.ts';
import { anotherUser, rowOf, statusWith } from '../other-users.ts';

describe.skipIf(browser === undefined)('the profile', () => {
  test('changing the display name updates every place that shows it', async () => {
    const { page } = await signedIn();
    await goTo(page, 'Profile');
    await page.getByLabel('Display name').fill('  ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Display name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('main').getByText('Name saved.').waitFor();
    await openMenu(page);
    await page.getByText('Ada Lovelace').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Display name').inputValue()).toBe('Ada Lovelace');
  });

  test('changing the password requires the current one, ends other sessions and keeps this one', async () => {
    const { page, hub, userToken } = await signedInByForm({ failures: ['401 /api/auth/password'] });
    await goTo(page, 'Profile');
    await page.getByLabel('Current password').fill('guess');
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Use at least 6 characters.').waitFor();
    await page.getByLabel('New password').fill('battery staple');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is incorrect.').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('main').getByText('Password changed.').waitFor();
    expect(await statusWith(hub, userToken)).toBe(401);
    expect(
      (await restClient(hub.url).post('/api/auth/login', { username: 'ada', password: 'battery staple' })).status,
    ).toBe(200);
    await goTo(page, 'Tokens');
    await page
      .getByRole('row', { name: /^Sign-in / })
      .first()
      .waitFor();
  });

  test('theme, language and sign-out are available', async () => {
    const { page } = await signedIn();
    await goTo(page, 'Profile');
    await page.locator('main').getByRole('radio', { name: 'Dark' }).check();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.locator('main').getByRole('radio', { name: '简体中文' }).check();
    await page.getByRole('heading', { name: '个人资料', level: 1 }).waitFor();
    await page.locator('main').getByRole('button', { name: '退出登录' }).click();
    await page.getByText('你已退出登录。').waitFor();
  });
});

describe.skipIf(browser === undefined)('the administration', () => {
  test('shows users, statistics and an audit log with its filters in the address', async () => {
    const { page, hub } = await signedInByForm();
    await anotherUser(hub, 'grace');
    await restClient(hub.url).post('/api/auth/login', { username: 'grace', password: 'not hers' });
    await goTo(page, 'Administration');
    await rowOf(page, 'grace').waitFor();
    await rowOf(page, 'ada').filter({ hasText: 'Administrator' }).filter({ hasText: 'you' }).waitFor();
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.locator('.stat', { hasText: 'Users' }).filter({ hasText: '2' }).waitFor();
    await page.locator('.stat', { hasText: 'Networks' }).filter({ hasText: '2' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await rowOf(page, 'User signed in').first().waitFor();
    await page.getByLabel('Action', { exact: true }).selectOption('Sign-in failed');
    await expect.poll(() => searchOf(page)).toBe('?tab=audit&action=user.login_failed');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('Actor', { exact: true }).fill('ada');
    await page.getByLabel('Actor', { exact: true }).press('Enter');
    await page.getByText('No entries match these filters.').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await rowOf(page, 'Sign-in failed').filter({ hasText: 'grace' }).waitFor();
    await rowOf(page, 'Registered').filter({ hasText: 'User grace' }).waitFor();
    expect(await page.getByRole('table', { name: 'Audit log' }).getByText('usr_').count()).toBe(0);
  });

  test('is unavailable to other users, with an explanation', async () => {
    const { hub } = await emptyHub();
    await restClient(hub.url).post('/api/auth/register', { username: 'ada', password: PASSWORD });
    const { page } = await anotherUser(hub, 'grace');
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await page.goto('/admin');
    await page.getByText('Only administrators can view this page').waitFor();
  });
});
