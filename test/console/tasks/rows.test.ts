// What the lists of tasks and messages show and how they fit.
import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { browser, type SignedIn, searchOf, signedIn, taskRow } from '../fixture.ts';

describe.skipIf(browser === undefined)('the lists of tasks', () => {
  test('show the first line of the reason of a failure, and every page shows it in the same color', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await failedTask(fixture);
    await page.goto('/tasks');
    const row = taskRow(page, 'Paint the wall', 'Failed');
    await row.getByText('No paint').waitFor();
    expect(await row.getByText('The shop is closed').count()).toBe(0);
    const color = await row.locator('.status-word').evaluate((word) => getComputedStyle(word).color);
    await page.goto('/messages?of=ada');
    const tag = page.getByRole('log').locator('.tag', { hasText: 'Failed' });
    await tag.waitFor();
    expect(await tag.evaluate((shown) => getComputedStyle(shown).color)).toBe(color);
  });

  test('fit: the board from 1280 px, and the search does not run into its key', async () => {
    const { page } = await signedIn({ viewport: { width: 1280, height: 800 } });
    await page.goto('/tasks?view=board');
    const board = page.getByRole('region', { name: 'Board', exact: true });
    await board.waitFor();
    const overhang = () => board.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(await overhang()).toBe(0);
    await page.setViewportSize({ width: 1100, height: 800 });
    await expect.poll(overhang).toBeGreaterThan(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1100);
    await page.goto('/tasks');
    const search = page.getByRole('searchbox', { name: 'Search tasks' });
    const key = page.locator('.search-field kbd');
    const [room, width] = [
      await search.evaluate((field) => Number.parseFloat(getComputedStyle(field).paddingInlineEnd)),
      await key.evaluate((shown) => shown.getBoundingClientRect().width),
    ];
    expect(room).toBeGreaterThan(width + 7);
  });

  test('open a link without the values that do not exist', async () => {
    const { page } = await signedIn();
    await page.goto('/tasks?priority=urgent&to=builder');
    await page.getByText('Opened without values that do not exist: priority: urgent.').waitFor();
    await expect.poll(() => searchOf(page)).toBe('?to=builder');
  });

  test('get the focus back from a dialog that was opened and sent with the mouse', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'waiting_input' });
    const need = page.locator('.need', { hasText: 'worker-1' });
    await need.getByRole('button', { name: /^Answer/ }).click();
    await page.getByRole('dialog').getByLabel('Your answer').fill('Blue');
    await page.getByRole('dialog').getByRole('button', { name: 'Send answer' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => need.locator(':focus').count()).toBe(1);
  });
});

async function failedTask({ agent }: SignedIn): Promise<void> {
  const task = { alias: 'worker-1', task: 'Paint the wall', from_session: 'ada' };
  const in_reply_to = textOf(await agent.call('send_task', task), 'task_id');
  const text = 'No paint.\n\nThe shop is closed.';
  await agent.call('send_reply', { alias: 'ada', text, status: 'failed', in_reply_to, from_session: 'worker-1' });
}
