import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { PASSWORD, register } from '../../support/http/rest-client.ts';
import { browser, descriptionOf, emptyHub, fillIn, isLive, searchOf, signedIn, signIn, signOut } from '../fixture.ts';

const UNENCRYPTED = 'This connection is not encrypted';
/** An address of this machine that a browser does not trust like localhost. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe.skipIf(browser === undefined)('signing in', () => {
  test('without the setup link the first user must enter the setup token', async () => {
    const { page } = await emptyHub({ failures: ['403 /api/auth/register'] }, ['--host', '0.0.0.0']);
    await page.goto('/');
    await page.getByLabel('Setup token').fill('guess');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Incorrect setup token.').waitFor();
    expect(await descriptionOf(page, 'Setup token')).toContain('the startup output');
  });

  test.skipIf(ownAddress === undefined)(
    'over plain HTTP from elsewhere, the page warns that others can read it',
    async () => {
      const { page, hub } = await emptyHub({}, ['--host', '0.0.0.0']);
      await page.goto(`http://${ownAddress}:${new URL(hub.url).port}/sign-in`);
      await page.getByText(UNENCRYPTED).waitFor();
    },
  );

  test('on this machine, the page shows no such warning', async () => {
    const { page } = await emptyHub();
    await page.goto('/sign-in');
    await page.getByLabel('Username').waitFor();
    expect(await page.getByText(UNENCRYPTED).count()).toBe(0);
  });

  test('a wrong password is rejected and the right one signs in', async () => {
    const { page } = await signedIn({ failures: ['401 /api/auth/login'] });
    await signOut(page);
    await page.getByText('You are signed out.').waitFor();
    await fillIn(page, 'ada', 'not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Incorrect username or password.').waitFor();
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await isLive(page);
  });

  test('each invalid field shows its own error', async () => {
    const { page } = await emptyHub({ failures: ['400 /api/auth/register'] });
    await page.goto('/sign-up');
    await fillIn(page, '!', '123');
    await page.getByRole('button', { name: 'Create account' }).click();
    expect(await descriptionOf(page, 'Username')).toBe(
      'Use 2 to 50 letters, digits, underscores or Chinese characters.',
    );
    expect(await descriptionOf(page, 'Password')).toBe('Use at least 6 characters.');
  });

  test('a taken username is reported on the username field', async () => {
    const { page, hub } = await emptyHub({ failures: ['400 /api/auth/register'] });
    await register(hub.url, 'ada');
    await page.goto('/sign-up');
    await fillIn(page, 'Ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('This username is taken. Choose another.').waitFor();
    expect(await descriptionOf(page, 'Username')).toBe('This username is taken. Choose another.');
  });

  test('an expired session leads to sign-in with an explanation and returns to the page', async () => {
    const { page } = await signedIn({
      failures: ['401 /api/status', '401 /api/tasks', '401 /api/messages', '401 /api/networks', '401 /events'],
    });
    await page.evaluate(() => {
      const kept = sessionStorage.getItem('agenthub.account') ?? '';
      sessionStorage.setItem('agenthub.account', kept.replace(/utok_\w+/, 'utok_0000000000000000000000000000000DbaXY'));
    });
    await page.goto('/tasks?status=failed');
    await page.getByText('Your session has expired. Sign in again.').waitFor();
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No results for these filters').waitFor();
    expect(searchOf(page)).toBe('?status=failed');
  });

  test('only a user who chose to stay signed in is signed in in a new tab', async () => {
    const { page } = await signedIn();
    const kept = () =>
      page.evaluate(() => [sessionStorage.length > 0, localStorage.getItem('agenthub.account') !== null]);
    expect(await kept()).toEqual([true, false]);
    await signOut(page);
    await page.getByLabel('Stay signed in on this device').check();
    await signIn(page);
    expect(await kept()).toEqual([false, true]);
  });
});
