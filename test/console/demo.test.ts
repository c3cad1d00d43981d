import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { mcpClient } from '../support/http/mcp-client.ts';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../support/json.ts';
import { agentRow, browser, emptyHub, fillIn, goTo, isLive, runUntil, shown, signedIn, taskRow } from './fixture.ts';

describe.skipIf(browser === undefined)('the demo', () => {
  test('starts with one click after registration and is removed completely', async () => {
    const { page, hub } = await emptyHub();
    await page.clock.install();
    await page.goto('/');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    const token = await shown(page, 'Your network token');
    await addDemoAgents(page);
    await goTo(page, 'Tasks');
    await runUntil(page, taskRow(page, 'README', 'Replied'));
    await goTo(page, 'Agents');
    await agentRow(page, 'demo-builder').waitFor();
    await agentRow(page, 'demo-planner').waitFor();

    await repliesToATask(page);
    await page.reload();
    await goTo(page, 'Agents');
    await agentRow(page, 'demo-builder').filter({ hasText: 'Working' }).waitFor();

    const demo = await networkNamed(hub.url, page, 'Demo');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Connect' }).first().click();
    await page.getByRole('heading', { name: 'Two demo agents are running' }).waitFor();
    await page.getByRole('button', { name: 'Remove demo' }).click();
    await page.getByRole('button', { name: 'Add two demo agents' }).waitFor();
    await restIsClean(hub.url, page, demo);
    expect(token).toMatch(/^ntok_/);
  });

  test('fails only tasks that it sent itself', async () => {
    const { page, hub } = await signedIn();
    await page.clock.install();
    await goTo(page, 'Connect');
    await addDemoAgents(page);
    const rest = restClient(hub.url, await userTokenOf(page));
    const network_id = await networkNamed(hub.url, page, 'Demo');
    for (let n = 1; n <= 5; n += 1)
      await rest.post('/api/tasks', {
        alias: 'demo-builder',
        task: `Errand ${n}`,
        from_session: 'ada',
        network_id,
        priority: 'high',
      });
    const statuses = async () => {
      await page.clock.runFor(1_000);
      const { body } = await rest.get(`/api/tasks?network_id=${network_id}&from_name=ada`);
      return listOf(body, 'tasks').map(({ status }) => status);
    };
    await expect.poll(statuses).toEqual(Array.from({ length: 5 }, () => 'replied'));
  });

  test('finishes the task that a reload of its tab has interrupted', async () => {
    const { page, hub } = await signedIn();
    await goTo(page, 'Connect');
    await addDemoAgents(page);
    const rest = restClient(hub.url, await userTokenOf(page));
    const network_id = await networkNamed(hub.url, page, 'Demo');
    const running = async () =>
      listOf((await rest.get(`/api/tasks?network_id=${network_id}&status=running`)).body, 'tasks');
    await expect.poll(async () => (await running()).length).toBe(1);
    const [interrupted] = await running();
    await page.reload();
    const statusNow = async () => {
      const { body } = await rest.get(`/api/tasks/${String(interrupted?.['task_id'])}?network_id=${network_id}`);
      return objectOf(body, 'task')['status'];
    };
    await expect.poll(statusNow, { timeout: 40_000 }).toBe('replied');
  });

  test('keeps the new token of the user’s own network', async () => {
    const { page } = await emptyHub();
    await page.goto('/');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    const token = await shown(page, 'Your network token');
    await addDemoAgents(page);
    await goTo(page, 'Connect');
    await page.getByRole('button', { name: 'Go to ada' }).click();
    expect(await shown(page, 'Your network token')).toBe(token);
  });

  test('runs in one tab, however many are open', async () => {
    const { page } = await signedIn();
    const kept = await page.evaluate(() => sessionStorage.getItem('agenthub.account') ?? '');
    const before = await page.context().newPage();
    await before.addInitScript((account) => sessionStorage.setItem('agenthub.account', account), kept);
    await before.goto('/connect');
    await before.getByRole('button', { name: 'Add two demo agents' }).waitFor();
    await goTo(page, 'Connect');
    await addDemoAgents(page);
    await before.getByText('They run in another tab of this browser').waitFor();
    // Duplicating a tab also copies its storage.
    const token = await page.evaluate(() => sessionStorage.getItem('agenthub.demo.token') ?? '');
    await before.evaluate((copied) => sessionStorage.setItem('agenthub.demo.token', copied), token);
    await before.reload();
    await before.getByText('They run in another tab of this browser').waitFor();
    expect(await before.evaluate(() => sessionStorage.getItem('agenthub.demo.token'))).toBe(null);
    await page.close();
    await before.getByText('The demo agents have stopped').waitFor();
    await before.getByRole('button', { name: 'Restart demo agents' }).click();
    await before.getByText('Both stop when you close this tab.').waitFor();
  });

  test('is found and removed after its tab was closed, unless a real agent uses its network', async () => {
    const failures: string[] = [];
    const { page, hub, userToken } = await signedIn({ failures });
    await goTo(page, 'Connect');
    await addDemoAgents(page);
    const demo = await networkNamed(hub.url, page, 'Demo');
    await page.evaluate(() => sessionStorage.removeItem('agenthub.demo.token'));
    await page.reload();
    await goTo(page, 'Connect');
    await page.getByText('The demo agents have stopped').waitFor();
    await page.getByRole('button', { name: 'Restart demo agents' }).click();
    await page.getByRole('heading', { name: 'Two demo agents are running' }).waitFor();

    failures.push(`400 /api/networks/${demo}`);
    const { body } = await restClient(hub.url, userToken).post('/api/tokens', { name: 'mine', network_id: demo });
    const agent = mcpClient(hub.url, textOf(body, 'token'));
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.getByRole('button', { name: 'Remove demo' }).click();
    await page.getByText('1 other agent is still online in the demo network.').waitFor();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'offline' });
    await page.getByRole('button', { name: 'Remove demo' }).click();
    await page.getByRole('button', { name: 'Add two demo agents' }).waitFor();
    expect((await restClient(hub.url, userToken).get(`/api/networks/${demo}`)).status).toBe(404);
  });
});

/** Starts the agents, which opens the overview of their network. */
async function addDemoAgents(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add two demo agents' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await isLive(page);
}

async function repliesToATask(page: Page): Promise<void> {
  await goTo(page, 'Connect');
  await page.getByLabel('Task', { exact: true }).fill('Water the plants');
  await page.getByRole('button', { name: /^Send to demo-/ }).click();
  await page.getByText('Task sent:').waitFor();
}

async function userTokenOf(page: Page): Promise<string> {
  const kept = await page.evaluate(() => sessionStorage.getItem('agenthub.account') ?? '{}');
  return /"token":"(utok_\w+)"/.exec(kept)?.[1] ?? '';
}

async function networkNamed(url: string, page: Page, name: string): Promise<string> {
  const { body } = await restClient(url, await userTokenOf(page)).get('/api/networks');
  return textOf(listOf(body, 'networks').find((network) => network['network_name'] === name) ?? {}, 'network_id');
}

/** Expects that no network, token, agent or task is left. */
async function restIsClean(url: string, page: Page, demo: string): Promise<void> {
  const rest = restClient(url, await userTokenOf(page));
  expect((await rest.get(`/api/networks/${demo}`)).status).toBe(404);
  expect(listOf((await rest.get('/api/networks')).body, 'networks')).toHaveLength(1);
  expect(JSON.stringify(listOf((await rest.get('/api/tokens')).body, 'tokens'))).not.toContain('Demo');
  const { body } = await rest.get('/api/stats');
  expect(objectOf(body, 'sessions')).toMatchObject({ total: 0 });
  expect(objectOf(body, 'tasks')).toMatchObject({ total: 0 });
}
