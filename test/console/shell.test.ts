import { describe, expect, test } from 'vitest';
import { mcpClient } from '../support/mcp-client.ts';
import { restClient } from '../support/rest-client.ts';
import { startHub } from '../support/running-hub.ts';
import { overhang } from './browser.ts';
import { agentRow, browser, counted, goTo, isLive, openMenu, searchOf, signedIn, taskRow } from './scenes.ts';

describe.skipIf(browser === undefined)('the console', () => {
  test('shows the hub at a glance, and each figure leads to what it counts', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall' });
    // A browser of a system without a language says so in no language tag.
    await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }));
    await page.reload();
    await counted(page, 'Agents', 'Blocked', 1);
    await counted(page, 'Tasks', 'Delivered', 1);
    await page.getByRole('region', { name: 'Waiting longest' }).getByText('Paint the wall').waitFor();
    await page.getByText('No task stands as failed.').waitFor();
    await page.getByRole('img', { name: 'tasks sent' }).locator('canvas').waitFor();
    await page.getByRole('radio', { name: 'Last day' }).check();
    await expect.poll(() => searchOf(page)).toBe('?span=day');
    await page.getByRole('navigation', { name: 'Agents by status' }).getByRole('link', { name: 'Blocked' }).click();
    await agentRow(page, 'worker-1').waitFor();
    expect(searchOf(page)).toBe('?status=blocked');
  });

  test('is steered from the keyboard', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', { alias: 'worker-1', task: 'First chore' });
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await taskRow(page, 'First chore').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('first');
    await expect.poll(() => searchOf(page)).toBe('?text=first');
    await page.keyboard.press('Escape');
    await expect.poll(() => searchOf(page)).toBe('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Find or do anything').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Send a task' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  test('finds agents, tasks, pages and acts in the palette', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'gardener', status: 'idle' });
    await agent.call('send_task', { alias: 'gardener', task: 'Water the roses' });
    await counted(page, 'Tasks', 'Delivered', 1);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('garden');
    await page.getByRole('option', { name: 'gardener' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'gardener' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('roses');
    await page.getByRole('option', { name: 'Water the roses' }).click();
    await page.getByRole('heading', { level: 1, name: 'Water the roses' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('dark');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('all agents');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Send to all agents' }).getByText('1 agent online').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zebra');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches these filters').waitFor();
    expect(searchOf(page)).toBe('?text=zebra');
  });

  test.each(['with', 'without'])('reads one stream for all tabs, and another tab goes on when the first is closed: %s locks', async (locks) => {
    const { page, agent } = await signedIn();
    // A browser has them on https and on its own machine, not on plain http from another one.
    if (locks === 'without') await page.context().addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
    await page.reload();
    await isLive(page);
    expect(await page.evaluate(() => 'locks' in navigator)).toBe(locks === 'with');
    const streams: string[] = [];
    page.context().on('request', (request) => new URL(request.url()).pathname === '/events' && streams.push('opened'));
    const kept = await page.evaluate(() => sessionStorage.getItem('agenthub.account') ?? '');
    const tab = await page.context().newPage();
    await tab.addInitScript((account) => sessionStorage.setItem('agenthub.account', account), kept);
    await tab.goto('/agents');
    await isLive(tab);
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await agentRow(tab, 'worker-1').waitFor();
    await counted(page, 'Agents', 'Idle', 1);
    expect(streams).toEqual([]);
    await page.goto('about:blank');
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    await agentRow(tab, 'worker-1').filter({ hasText: 'Blocked' }).waitFor();
    expect(streams).toEqual(['opened']);
  });

  test('misses a hub that goes away, and finds again what it has to tell', async () => {
    const { page, hub, networkToken } = await signedIn({ failures: ['0 /events', '0 /api/status', '0 /api/tasks', '0 /api/stats/throughput', '0 /api/networks'] });
    await mcpClient(hub.url, networkToken).call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await goTo(page, 'Agents');
    await agentRow(page, 'worker-1').filter({ hasText: 'Idle' }).waitFor();
    await page.waitForFunction(() => {
      const had = performance.getEntriesByType('resource').map(({ name }) => name);
      return ['tasks', 'admin'].every((page) => had.some((name) => name.includes(`/assets/${page}-`)));
    });
    await hub.kill('SIGKILL');
    await page.getByText('The connection to the hub is lost.').waitFor();
    await page.locator('[data-stale="true"]').waitFor();
    await goTo(page, 'Tasks');
    await goTo(page, 'Agents');
    await agentRow(page, 'worker-1').waitFor();
    const again = await startHub({ target: 'binary', data: hub.data, args: ['--port', new URL(hub.url).port] });
    await mcpClient(again.url, networkToken).call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    await agentRow(page, 'worker-1').filter({ hasText: 'Blocked' }).waitFor();
    expect(await page.getByText('The connection to the hub is lost.').count()).toBe(0);
  });

  test('shows another network when it is chosen in the bar', async () => {
    const { page, hub, agent, userToken } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await restClient(hub.url, userToken).post('/api/networks', { name: 'elsewhere' });
    await page.goto('/agents');
    await agentRow(page, 'worker-1').waitFor();
    await page.getByLabel('Network').selectOption('elsewhere');
    await page.getByText('No agents yet').waitFor();
    await page.reload();
    await page.getByText('No agents yet').waitFor();
    await page.getByLabel('Network').selectOption('ada');
    await agentRow(page, 'worker-1').waitFor();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'error' });
    await agentRow(page, 'worker-1').filter({ hasText: 'Error' }).waitFor();
  });

  test('keeps the language and the theme a person chose', async () => {
    const { page } = await signedIn();
    await openMenu(page);
    await page.getByRole('radio', { name: '简体中文' }).check();
    await page.getByRole('radio', { name: '深色' }).check();
    await page.reload();
    await page.getByRole('heading', { name: '总览', exact: true }).waitFor();
    expect(await page.evaluate(() => [document.documentElement.lang, getComputedStyle(document.documentElement).colorScheme])).toEqual(['zh-CN', 'dark']);
  });

  test('lets nobody who may only read press what he may not', async () => {
    const { page, hub, agent, networkId, userToken } = await signedIn();
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall' });
    const { body } = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'viewer' });
    const bob = (await restClient(hub.url).post('/api/auth/register', { username: 'bob', password: 'correct horse' })).body;
    await restClient(hub.url, String(bob['token'])).post('/api/networks/join', { invite_code: body['invite_code'] });
    await page.evaluate(([token, network_id]) => {
      sessionStorage.setItem('agenthub.account', JSON.stringify({ token, network_id, user: { user_id: 'u', username: 'bob', display_name: 'bob' } }));
    }, [String(bob['token']), networkId]);
    await page.goto('/tasks');
    await taskRow(page, 'Paint the wall').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Paint the wall' }).waitFor();
    await page.getByText('No result yet.').waitFor();
    expect(await page.getByRole('button', { name: /Cancel|Reassign|Reply|Send/ }).count()).toBe(0);
  });

  test('is nowhere wider than a small phone', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 812 } });
    const long = 'x'.repeat(200);
    await agent.call('report_status', { resume_id: 'r1', alias: long, status: 'waiting_input', task: long, progress: 3, agent: long, model: long, output: long });
    const { task_id } = await agent.call('send_task', { alias: long, task: `${long.repeat(9)}\n\n\`\`\`\n${long.repeat(3)}\n\`\`\``, from_session: long, context: long });
    for (const path of ['/', '/agents', `/agents/${long}`, '/tasks', '/tasks?view=board', `/tasks/${String(task_id)}`]) {
      await page.goto(path);
      await page.getByText('xxx').first().waitFor();
      expect(await overhang(page), path).toBe(0);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    expect(await overhang(page)).toBe(0);
  });
});
