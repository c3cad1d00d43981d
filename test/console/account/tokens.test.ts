import { describe, expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { browser, goTo, searchOf, shown, signedIn, signedInByForm } from '../fixture.ts';
import { rowOf, statusWith } from '../other-users.ts';

describe.skipIf(browser === undefined)('tokens', () => {
  test('a token is created, shown once, used and revoked, and revocation disconnects its users', async () => {
    const { page, hub } = await signedIn();
    await goTo(page, 'Tokens');
    await page.getByRole('link', { name: 'New token' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByLabel('Valid for').selectOption('30 days');
    await page.getByRole('button', { name: 'Create' }).click();
    const token = await shown(page, 'Your new token');
    expect(token).toMatch(/^ntok_[0-9A-Za-z]{36}$/);
    await rowOf(page, 'laptop').filter({ hasText: 'Network token' }).filter({ hasText: 'never' }).waitFor();
    await page.reload();
    await rowOf(page, 'laptop').waitFor();
    expect(await page.getByText(token).count()).toBe(0);

    const stream = await fetch(`${hub.url}/events/worker-1`, { headers: { Authorization: `Bearer ${token}` } });
    const reader = stream.body?.getReader();
    await reader?.read();
    await rowOf(page, 'laptop').filter({ hasNotText: 'never' }).waitFor();
    await page.getByRole('link', { name: 'Revoke laptop' }).click();
    await page.getByText('All agents that use it are disconnected immediately.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await rowOf(page, 'laptop').waitFor({ state: 'detached' });
    expect(await statusWith(hub, token)).toBe(401);
    await drained(reader);
  });

  test('revoking the login token of this browser signs it out', async () => {
    const { page } = await signedInByForm({ failures: ['401 /api/tokens', '401 /events'] });
    await page.goto('/tokens?kind=user&text=sign-in');
    await rowOf(page, 'Sign-in').filter({ hasText: 'this browser' }).getByRole('link', { name: 'Revoke' }).click();
    await page.getByText('You are signed in with this token.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Your session has expired.').waitFor();
  });

  test('filters are part of the address', async () => {
    const { page, hub, userToken } = await signedInByForm();
    await restClient(hub.url, userToken).post('/api/tokens', { name: 'ci-runner' });
    await goTo(page, 'Tokens');
    await page.getByLabel('Type').selectOption('Network token');
    await expect.poll(() => searchOf(page)).toBe('?kind=network');
    await page.getByRole('searchbox').fill('runner');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByRole('row', { name: /^Sign-in / }).waitFor();
  });
});

/** The stream of a revoked token ends without a client action. */
async function drained(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read());
}
