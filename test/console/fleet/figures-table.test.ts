import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { browser, isLive, type SignedIn, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the figures of all agents', () => {
  test('are compared in a table, sorted by any of them, in the address', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    for (const alias of ['ann', 'bob', 'cat'])
      await agent.call('report_status', { resume_id: alias, alias, status: 'idle' });
    await agent.call('send_task', { alias: 'cat', task: 'Wait for me', from_session: 'ada' });
    await settle(fixture, 'ann', ['replied', 'replied', 'replied', 'failed']);
    await settle(fixture, 'bob', ['failed']);
    await page.goto('/agents');
    await page.getByRole('link', { name: 'Figures' }).click();
    await row(page, 'ann').getByText('25%', { exact: true }).waitFor();
    await row(page, 'ann').getByText('1 of 4', { exact: true }).waitFor();
    await row(page, 'All agents').getByText('2 of 5', { exact: true }).waitFor();
    expect(await row(page, 'bob').textContent()).toMatch(/95%: \d+ms/);
    expect(await row(page, 'cat').textContent()).toMatch(/Longest wait\d+m?s/);
    // Those without a value come last, in either direction.
    await page.getByRole('columnheader', { name: 'Failure rate' }).getByRole('link').click();
    await expect.poll(() => agentsOf(page)).toEqual(['bob', 'ann', 'cat']);
    await page.getByRole('columnheader', { name: 'Failure rate' }).getByRole('link').click();
    await expect.poll(() => agentsOf(page)).toEqual(['ann', 'bob', 'cat']);
    expect(searchOf(page)).toBe('?view=figures&sort=failed');
    await page.getByLabel('Time range').selectOption('Last week');
    await row(page, 'ann').getByText('25%', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('bob');
    await expect.poll(() => agentsOf(page)).toEqual(['bob']);
    await page.reload();
    await row(page, 'bob').getByText('100%', { exact: true }).waitFor();
    expect(searchOf(page)).toBe('?view=figures&sort=failed&span=week&text=bob');
    await page.getByRole('link', { name: 'Status' }).first().click();
    await expect.poll(() => searchOf(page)).toBe('?text=bob');
  });

  test('are exported, update live, and fit every screen without faults', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    const long = 'x'.repeat(100);
    for (const alias of ['ann', long])
      await agent.call('report_status', { resume_id: alias, alias, status: 'blocked' });
    await page.goto('/agents?view=figures');
    await isLive(page);
    await row(page, 'ann').getByText('0', { exact: true }).waitFor();
    await settle(fixture, 'ann', ['replied', 'failed']);
    await row(page, 'ann').getByText('50%', { exact: true }).waitFor();
    for (const width of [1_440, 1_100, 800, 375]) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await overhang(page), String(width)).toBe(0);
      await audit(page, `figures at ${width} px`);
    }
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.getByRole('link', { name: 'Export' }).click();
    const started = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    const lines = await linesOf(await (await started).path());
    expect(lines[0]).toMatch(/^.?alias,since,until,queue_age_ms,start_p50_ms/);
    expect(lines.find((line) => line.startsWith('ann,'))).toMatch(/,1,1,0,0,0\.5,/);
    expect(lines.filter((line) => line !== '')).toHaveLength(3);
  });
});

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
}

/** The names of the agents, without the row of all. */
async function agentsOf(page: Page): Promise<string[]> {
  return (await page.getByRole('rowheader').allTextContents()).slice(1);
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\r\n');
}

async function settle({ agent }: SignedIn, alias: string, outcomes: readonly string[]): Promise<void> {
  for (const [n, status] of outcomes.entries()) {
    const task = `Task ${n} of ${alias}`;
    const task_id = textOf(await agent.call('send_task', { alias, task, from_session: 'ada' }), 'task_id');
    await agent.call('send_ack', { task_id, from_session: alias });
    const reply = { alias: 'ada', text: `done ${task_id}`, status, in_reply_to: task_id, from_session: alias };
    await agent.call('send_reply', reply);
  }
}
