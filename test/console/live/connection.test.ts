import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { en } from '../../../console/i18n/en.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { startHub } from '../../support/process/running-hub.ts';
import { agentRow, browser, counted, goTo, isLive, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the console', () => {
  test.each(['with', 'without'])(
    'reads one stream for all tabs, and another tab takes over when the first is closed: %s locks',
    async (locks) => {
      const { page, agent } = await signedIn();
      // Browsers offer locks on HTTPS and localhost only, not on plain HTTP from another machine.
      if (locks === 'without')
        await page.context().addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
      await page.reload();
      await isLive(page);
      expect(await page.evaluate(() => 'locks' in navigator)).toBe(locks === 'with');
      const streams: string[] = [];
      page
        .context()
        .on('request', (request) => new URL(request.url()).pathname === '/events' && streams.push('opened'));
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
    },
  );

  test('detects a lost hub and recovers when it returns', async () => {
    const { page, hub, networkToken } = await signedIn({
      failures: [
        '0 /events',
        '0 /api/status',
        '0 /api/tasks',
        '0 /api/messages',
        '0 /api/stats/throughput',
        '0 /api/networks',
        '0 /assets/icon.svg',
      ],
    });
    await mcpClient(hub.url, networkToken).call('report_status', {
      resume_id: 'r1',
      alias: 'worker-1',
      status: 'idle',
    });
    await goTo(page, 'Agents');
    await agentRow(page, 'worker-1').filter({ hasText: 'Idle' }).waitFor();
    await readAhead(page);
    await hub.kill('SIGKILL');
    await page.getByText('Connection to the hub lost.').waitFor();
    await page.locator('[data-stale="true"]').waitFor();
    await goTo(page, 'Tasks');
    await goTo(page, 'Agents');
    await agentRow(page, 'worker-1').waitFor();
    await goTo(page, 'Tasks');
    await page.getByRole('button', { name: 'Send a task', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('To', { exact: true }).fill('worker-1');
    await dialog.getByRole('textbox', { name: 'Task', exact: true }).fill('Paint the wall');
    await page.keyboard.press('Control+Enter');
    const unreachable = dialog.getByText(en.errors.unreachable);
    await unreachable.waitFor();
    const again = await startHub({ target: 'binary', data: hub.data, args: ['--port', new URL(hub.url).port] });
    await mcpClient(again.url, networkToken).call('report_status', {
      resume_id: 'r1',
      alias: 'worker-1',
      status: 'blocked',
    });
    await unreachable.waitFor({ state: 'detached' });
    expect(await page.getByText('Connection to the hub lost.').count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await goTo(page, 'Agents');
    await agentRow(page, 'worker-1').filter({ hasText: 'Blocked' }).waitFor();
  });
});

const PRELOADED = ['pages', 'zh'];

/** Waits until everything is preloaded. Importing a module again waits for all its imports. */
async function readAhead(page: Page): Promise<void> {
  const names = PRELOADED.map((name) => `/assets/${name}-`);
  let modules: string[] = [];
  await expect
    .poll(
      async () => {
        modules = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
        return names.filter((name) => !modules.some((module) => module.includes(name)));
      },
      { timeout: 20_000 },
    )
    .toEqual([]);
  const urls = JSON.stringify(modules.filter((module) => module.endsWith('.js')));
  // Passed as text, because vitest replaces `import` in functions.
  await page.evaluate(`Promise.all(${urls}.map((url) => import(url))).then(() => {})`);
}
