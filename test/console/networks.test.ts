import { describe, expect, test } from 'vitest';
import { mcpClient } from '../support/http/mcp-client.ts';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { textOf } from '../support/json.ts';
import { browser, fillIn, goTo, isLive, searchOf, shown, signedIn } from './fixture.ts';
import { anonymousPage, anotherUser, rowOf, statusWith } from './other-users.ts';

describe.skipIf(browser === undefined)('networks', () => {
  test('are created, described, renamed and shown in the top bar', async () => {
    const { page } = await signedIn();
    await goTo(page, 'Networks');
    await rowOf(page, 'ada').filter({ hasText: 'Owner' }).filter({ hasText: 'current' }).waitFor();
    await page.getByRole('link', { name: 'New network' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Build farm');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Build farm', level: 1 }).waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Night farm');
    await page.getByLabel('Description (optional)').fill('Builds while we sleep');
    await page.getByLabel('Member limit').fill('0');
    await page.getByText('Enter a whole number from 1 to 1000.').waitFor();
    await page.getByLabel('Member limit').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Night farm', level: 1 }).waitFor();
    await page.getByText('Builds while we sleep').waitFor();
    await page.getByText('of 7').waitFor();
    await expect
      .poll(() => page.getByLabel('Network', { exact: true }).locator('option:checked').textContent())
      .toBe('Night farm');
    await goTo(page, 'Networks');
    await page.getByRole('button', { name: 'Switch to ada' }).click();
    await rowOf(page, 'ada').filter({ hasText: 'current' }).waitFor();
    await page.getByRole('searchbox').fill('night');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expect.poll(() => searchOf(page)).toBe('?text=night');
  });

  test('a second user joins by link, appears to the owner and has access until removed', async () => {
    const { page, hub, networkId } = await signedIn();
    await page.clock.install();
    await page.goto(`/networks/${networkId}`);
    await page.getByRole('link', { name: 'Invite', exact: true }).click();
    await page.locator('input[value="member"]:focus').waitFor();
    await page.getByLabel('Maximum uses').fill('2');
    await page.getByRole('button', { name: 'Create invite' }).click();
    const link = await shown(page, 'Invite link');
    expect(link).toMatch(new RegExp(`^${hub.url}/#join=inv_[0-9A-Za-z]{24}$`));
    await rowOf(page, '0 of 2').waitFor();

    const grace = await anonymousPage(hub, {
      failures: ['403 /events', '403 /api/tasks', '403 /api/status', `403 /api/networks/${networkId}`],
    });
    await grace.goto(link);
    await grace.getByText('ada invites you to join the network ada as a member.').waitFor();
    expect(grace.url()).not.toContain('inv_');
    await fillIn(grace, 'grace', PASSWORD);
    await grace.getByRole('button', { name: 'Create account' }).click();
    await grace.locator('#invite-code:focus').waitFor();
    await grace.getByRole('dialog').getByText('ada invites you to join the network ada as a member.').waitFor();
    await grace.getByRole('button', { name: 'Join' }).click();
    await grace.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
    await rowOf(grace, 'grace').filter({ hasText: 'you' }).filter({ hasText: 'Member' }).waitFor();
    await goTo(grace, 'Connect');
    const token = await shown(grace, 'Your network token');
    await mcpClient(hub.url, token).call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await grace.getByText('worker-1 is connected').waitFor();

    await rowOf(page, 'grace').waitFor();
    await page.getByRole('link', { name: 'Remove grace' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await rowOf(page, 'grace').waitFor({ state: 'detached' });
    expect(await statusWith(hub, token)).toBe(401);
    await grace.getByLabel('Network', { exact: true }).waitFor({ state: 'detached' });
    await isLive(grace);
    await goTo(grace, 'Networks');
    await rowOf(grace, 'grace').filter({ hasText: 'current' }).waitFor();
  });

  test('a code can be entered manually and an invalid one is explained', async () => {
    const { page, hub, userToken, networkId } = await signedIn({ failures: ['400 /api/networks/join'] });
    const grace = await anotherUser(hub, 'grace', {
      failures: ['400 /api/networks/preview', '400 /api/networks/join'],
    });
    const { body } = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'viewer' });
    await goTo(grace.page, 'Networks');
    await grace.page.getByRole('link', { name: 'Join with an invite' }).click();
    await grace.page.getByLabel('Invite code or link').fill('inv_tooshort');
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await grace.page.getByText('No invite code found').waitFor();
    await grace.page.getByLabel('Invite code or link').fill(`inv_${'x'.repeat(24)}`);
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await grace.page.getByText('This invite does not exist.').waitFor();
    await grace.page.getByLabel('Invite code or link').fill(textOf(body, 'invite_code'));
    await grace.page.getByText('as a viewer.').waitFor();
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await rowOf(grace.page, 'grace').filter({ hasText: 'Viewer' }).waitFor();

    await goTo(grace.page, 'Connect');
    await grace.page.getByText('You have read-only access to this network, so').waitFor();
    await page.goto(`/networks/${networkId}`);
    await page.getByLabel('Role of grace').selectOption('Member');
    await expect
      .poll(async () => {
        const { body: listed } = await restClient(hub.url, userToken).get(`/api/networks/${networkId}/members`);
        return JSON.stringify(listed);
      })
      .toContain('"role":"member"');

    await grace.page.goto(`/networks/${networkId}`);
    await grace.page.getByRole('link', { name: 'Leave this network' }).click();
    await grace.page.getByRole('button', { name: 'Leave', exact: true }).click();
    await grace.page.getByRole('heading', { name: 'Networks', level: 1 }).waitFor();
    await isLive(grace.page);
    await expect.poll(() => rowOf(grace.page, 'current').textContent()).toContain('grace');
  });

  test('the link of a withdrawn invite stops working', async () => {
    const { page, hub, networkId } = await signedIn();
    const grace = await anotherUser(hub, 'grace', {
      failures: ['400 /api/networks/preview', '400 /api/networks/join'],
    });
    await page.goto(`/networks/${networkId}?dialog=invite`);
    await page.getByRole('button', { name: 'Create invite' }).click();
    const link = await shown(page, 'Invite link');
    await page.getByRole('link', { name: 'Withdraw' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('No invites at the moment.').waitFor();
    await grace.page.goto(link);
    await grace.page.getByRole('button', { name: 'Join' }).click();
    await grace.page.getByText('This invite does not exist.').waitFor();
  });

  test('a network is deleted after typing its name, only when its agents are offline', async () => {
    const failures: string[] = [];
    const { page, hub, userToken, networkId, agent } = await signedIn({ failures });
    failures.push(`400 /api/networks/${networkId}`);
    await restClient(hub.url, userToken).post('/api/networks', { name: 'elsewhere' });
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.goto(`/networks/${networkId}`);
    await page.getByRole('link', { name: 'Delete this network' }).click();
    await page.getByLabel('Type ada to confirm').fill('eve');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('The name does not match.').waitFor();
    await page.getByLabel('Type ada to confirm').fill('ada');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('1 agent is still online.').waitFor();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'offline' });
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByRole('heading', { name: 'Networks', level: 1 }).waitFor();
    await rowOf(page, 'elsewhere').filter({ hasText: 'current' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });
});
