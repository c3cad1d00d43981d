import { createClient } from '@libsql/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type McpClient, mcpClient } from '../../support/http/mcp-client.ts';
import { reportMany } from '../../support/many-agents.ts';
import { startHub } from '../../support/process/running-hub.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { agentRow, browser, goTo, isLive, searchOf, signedIn } from '../fixture.ts';

/** Once the page has loaded what it loads in advance, which would otherwise be asked of a hub that has stopped. */
async function leave(page: Page): Promise<void> {
  const loaded = () => performance.getEntriesByType('resource').map(({ name }) => name);
  await expect.poll(() => page.evaluate(loaded)).toContainEqual(expect.stringMatching(/\/zh-\w+\.js$/));
  await page.goto('about:blank');
}

describe.skipIf(browser === undefined)('the roster', () => {
  test('shows agents in order of attention, with their work, progress, last output, model, host and inbox', async () => {
    const { page, agent } = await signedIn();
    await reportAll(agent);
    await agent.call('send_task', { alias: 'hook', task: 'Review the change', from_session: 'ada' });
    const { message_id } = await agent.call('send_task', { alias: 'hook', task: 'Wash the car', from_session: 'ada' });
    await agent.call('ack_inbox', { alias: 'hook', message_id });
    for (const place of ['Overview', 'Agents']) {
      await goTo(page, place);
      await expect
        .poll(() => aliasesOn(page))
        .toEqual(['asker', 'broken', 'stopped', 'hook', 'maker', 'spare', 'gone']);
      const maker = agentRow(page, 'maker');
      for (const text of ['Build it', '40%', '✓ 41 passed', 'm-4', 'mars', 'Working'])
        await maker.getByText(text).waitFor();
      const hook = agentRow(page, 'hook');
      await hook.getByText('1 pending message').waitFor({ state: 'attached' });
      await hook.getByRole('link', { name: 'Wash the car' }).waitFor();
    }
    await page.mouse.move(5, 700);
    await agent.call('report_status', { resume_id: 'spare', alias: 'spare', status: 'blocked' });
    await expect.poll(() => aliasesOn(page)).toEqual(['asker', 'broken', 'spare', 'stopped', 'hook', 'maker', 'gone']);
    await agentRow(page, 'hook').getByRole('link', { name: 'Wash the car' }).click();
    await page.getByRole('heading', { level: 1, name: 'Wash the car' }).waitFor();
  });

  test('has rows of one height with and without pending messages', async () => {
    const { page, agent } = await signedIn();
    for (const alias of ['a', 'empty', 'full'])
      await agent.call('report_status', { resume_id: alias, alias, status: 'working', output: 'Reading the plan' });
    await agent.call('send_message', { alias: 'full', message: 'Hello', from_session: 'ada' });
    await page.goto('/agents');
    await agentRow(page, 'full').getByText('1 pending message').waitFor({ state: 'attached' });
    const heightOf = async (alias: string) => (await agentRow(page, alias).boundingBox())?.height;
    for (const width of [375, 700, 1_000, 1_100, 1_280, 1_600]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await heightOf('full')]).toEqual([width, await heightOf('empty')]);
    }
  });

  test.each(['/', '/agents'])('is sorted by each column, in the address: %s', async (path) => {
    const { page, agent } = await signedIn();
    await reportAll(agent);
    await page.goto(path);
    // The list of needs comes last and moves the roster down, so that a click that began above it ends elsewhere.
    const atRest = () => (path === '/' ? page.locator('.need').nth(2).waitFor() : undefined);
    await atRest();
    const header = (name: string) => page.getByRole('columnheader', { name });
    await expect.poll(() => header('Status').getAttribute('aria-sort')).toBe('ascending');
    // The pointer rests on the list, which holds still for changes but not for the person who sorts it.
    await header('Agent').getByRole('link').click();
    await expect.poll(() => aliasesOn(page)).toEqual(['asker', 'broken', 'gone', 'hook', 'maker', 'spare', 'stopped']);
    expect(searchOf(page)).toBe('?sort=agent');
    await header('Agent').getByRole('link').press('Enter');
    await expect.poll(() => aliasesOn(page)).toEqual(['stopped', 'spare', 'maker', 'hook', 'gone', 'broken', 'asker']);
    expect(searchOf(page)).toBe('?sort=-agent');
    expect(await header('Agent').getAttribute('aria-sort')).toBe('descending');
    expect(await header('Status').getAttribute('aria-sort')).toBeNull();
    await page.reload();
    await atRest();
    await expect.poll(async () => (await aliasesOn(page))[0]).toBe('stopped');
    await page.goBack();
    await expect.poll(async () => (await aliasesOn(page))[0]).toBe('asker');
    for (const [name, first] of [
      ['Progress', 'maker'],
      ['Model', 'spare'],
      ['Host', 'maker'],
      ['Working on', 'maker'],
    ] as const) {
      await header(name).getByRole('link').click();
      await expect.poll(async () => (await aliasesOn(page))[0]).toBe(first);
    }
  });

  test('marks an agent that works without progress until it makes some', async () => {
    const { page, hub, agent, networkToken } = await signedIn({ failures: ['0 /events'] });
    await agent.call('report_status', { resume_id: 'm', alias: 'maker', status: 'working', task: 'Build' });
    await agent.call('report_status', { resume_id: 'a', alias: 'asker', status: 'working', task: 'Ask' });
    await leave(page);
    await hub.stop();
    const database = createClient({ url: `file:${hub.data}/agenthub.db` });
    await database.execute("UPDATE sessions SET last_progress_at = last_progress_at - 1500000 WHERE alias = 'maker'");
    database.close();
    const again = await startHub({ target: 'binary', data: hub.data, args: ['--port', new URL(hub.url).port] });
    await page.goto('/agents');
    await agentRow(page, 'maker').getByText('No progress for 25m').waitFor();
    expect(await aliasesOn(page)).toEqual(['maker', 'asker']);
    expect(await page.getByText(/^No progress/).count()).toBe(1);
    for (const width of [900, 1_100, 1_280, 1_600]) {
      await page.setViewportSize({ width, height: 800 });
      const isIn = await agentRow(page, 'maker')
        .locator('.stuck-note')
        .evaluate((note) => {
          const [own, cell] = [note.getBoundingClientRect(), note.closest('td')?.getBoundingClientRect()];
          return note.scrollWidth <= note.clientWidth && own.right <= (cell?.right ?? 0);
        });
      expect([width, isIn]).toEqual([width, true]);
    }
    await page.goto('/agents/maker');
    await page.getByText('No progress for 25m').waitFor();
    await page.goto('/');
    await page.locator('.need').filter({ hasText: 'maker' }).getByText('No progress for 25m: Build').waitFor();
    expect(await page.locator('.need').count()).toBe(1);
    await page.goto('/agents');
    const call = (args: object) =>
      mcpClient(again.url, networkToken).call('report_status', {
        resume_id: 'm',
        alias: 'maker',
        status: 'working',
        ...args,
      });
    await call({ task: 'Build' });
    await agentRow(page, 'maker').getByText('No progress for 25m').waitFor();
    await call({ progress: 10 });
    await page.getByText(/^No progress/).waitFor({ state: 'detached' });
  });

  test('shows how long an agent has had its status, whatever it reports meanwhile', async () => {
    const { page, hub, agent, networkToken } = await signedIn({ failures: ['0 /events'] });
    const report = { resume_id: 's', alias: 'stopped', status: 'blocked' };
    await agent.call('report_status', report);
    await leave(page);
    await hub.stop();
    const database = createClient({ url: `file:${hub.data}/agenthub.db` });
    await database.execute('UPDATE sessions SET status_since = status_since - 1500000');
    database.close();
    const again = await startHub({ target: 'binary', data: hub.data, args: ['--port', new URL(hub.url).port] });
    const { call } = mcpClient(again.url, networkToken);
    await call('report_status', { ...report, output: 'waiting for a key' });
    await page.goto('/');
    const need = page.locator('.need').filter({ hasText: 'Blocked: waiting for a key' });
    await need.locator('time').getByText('25m', { exact: true }).waitFor();
    await page.goto('/agents');
    await agentRow(page, 'stopped').getByText('for 25m', { exact: true }).waitFor();
    await audit(page, 'Agents');
    for (const width of [375, 800, 1100, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overhang(page), `at ${width}`).toBe(0);
    }
    await page.goto('/agents/stopped');
    await page.getByText('for 25m', { exact: true }).waitFor();
    await audit(page, 'the page of an agent');
    await call('report_status', { ...report, status: 'idle' });
    await page.getByText(/^for \ds$/).waitFor();
  });

  test('tells blocked and error from working by color and shape, in light and dark mode', async () => {
    const { page, agent } = await signedIn();
    await reportAll(agent);
    await goTo(page, 'Agents');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const signs = await Promise.all(
        ['maker', 'stopped', 'broken'].map((alias) =>
          agentRow(page, alias)
            .locator('.agent-sign > *')
            .evaluate((sign) => {
              const { color, backgroundColor } = getComputedStyle(sign);
              return { shape: sign.getAttribute('class'), color: sign instanceof SVGElement ? color : backgroundColor };
            }),
        ),
      );
      expect(new Set(signs.map(({ shape }) => shape)).size).toBe(3);
      expect(new Set(signs.map(({ color }) => color)).size).toBe(3);
    }
    await audit(page, 'agents');
  });

  test('of 500 agents fits a phone, where a field sorts it', async () => {
    const { page, hub, agent, networkToken } = await signedIn({ viewport: { width: 375, height: 812 } });
    await reportAll(agent);
    await reportMany(hub.url, networkToken, 500);
    await page.goto('/agents');
    await isLive(page);
    await expect.poll(() => page.locator('.agent-list').getAttribute('aria-rowcount')).toBe('508');
    expect((await aliasesOn(page)).length).toBeLessThan(30);
    expect((await aliasesOn(page))[0]).toBe('asker');
    expect(await overhang(page)).toBe(0);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Sort by').selectOption('Progress');
    await expect.poll(async () => (await aliasesOn(page))[0]).toBe('maker');
    expect(searchOf(page)).toBe('?sort=-progress');
    await page.goto('/?sort=-agent');
    await expect.poll(async () => (await aliasesOn(page))[0]).toBe('stopped');
    expect(await page.getByLabel('Sort by').inputValue()).toBe('-agent');
    expect(await overhang(page)).toBe(0);
    await page.getByRole('link', { name: 'View all agents' }).click();
    expect(searchOf(page)).toBe('?sort=-agent');
  });
});

async function reportAll(agent: McpClient): Promise<void> {
  const agents = [
    {
      alias: 'maker',
      status: 'working',
      task: 'Build it',
      progress: 40,
      output: 'tests\n✓ 41 passed\n',
      model: 'm-4',
      hostname: 'mars',
    },
    { alias: 'stopped', status: 'blocked' },
    { alias: 'gone', status: 'offline' },
    { alias: 'broken', status: 'error' },
    { alias: 'hook', status: 'working' },
    { alias: 'asker', status: 'waiting_input' },
    { alias: 'spare', status: 'idle', model: 'm-2' },
  ];
  for (const report of agents) await agent.call('report_status', { resume_id: report.alias, ...report });
}

function aliasesOn(page: Page): Promise<string[]> {
  return page.locator('.agent-list .cell-agent .row-link').allTextContents();
}
