import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, goTo, runUntil, signedIn, taskRow } from '../fixture.ts';

describe.skipIf(browser === undefined)('a list of tasks in the console', () => {
  test('holds still under a resting pointer, and shows what is new on click', async () => {
    const { page, agent } = await signedIn();
    await page.clock.install();
    await agent.call('send_task', { alias: 'worker-1', task: 'Old chore' });
    await goTo(page, 'Tasks');
    await taskRow(page, 'Old chore').hover();
    const at = await taskRow(page, 'Old chore').boundingBox();
    await page.clock.runFor(15_000);
    await agent.call('send_task', { alias: 'worker-1', task: 'New chore' });
    await runUntil(page, page.getByRole('button', { name: '1 new task' }), 100);
    expect(await taskRow(page, 'Old chore').boundingBox()).toEqual(at);
    await page.getByRole('button', { name: '1 new task' }).click();
    await taskRow(page, 'New chore').waitFor();
  });

  test('holds still under the keyboard focus, which moves to the first row when new ones are shown', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', { alias: 'worker-1', task: 'Old chore' });
    await goTo(page, 'Tasks');
    await taskRow(page, 'Old chore').waitFor();
    await expect.poll(() => pressed(page, 'j')).toBe('Old chore');
    await agent.call('send_task', { alias: 'worker-1', task: 'New chore' });
    const button = page.getByRole('button', { name: '1 new task' });
    await button.waitFor();
    expect(await focusedText(page)).toBe('Old chore');
    await button.press('Enter');
    await expect.poll(() => focusedText(page)).toBe('New chore');
  });

  test('loads in pages, and going back restores the scroll position', async () => {
    const { page } = await withChores(130);
    await goTo(page, 'Tasks');
    await isLoaded(page, 60);
    await page.getByRole('button', { name: 'Show older tasks' }).click();
    await isLoaded(page, 120);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const last = rowAt(page, 120);
    await last.scrollIntoViewIfNeeded();
    const [scrolled, name] = [await page.evaluate(() => scrollY), await last.locator('.row-link').textContent()];
    await last.locator('.row-link').click();
    await page.getByRole('heading', { level: 1, name: name ?? '' }).waitFor();
    await page.goBack();
    await isLoaded(page, 120);
    await expect.poll(async () => Math.abs((await page.evaluate(() => scrollY)) - scrolled)).toBeLessThan(50);
  });

  test('contains only the rows near the screen, in reach of the keyboard', async () => {
    const { page } = await withChores(58);
    await goTo(page, 'Tasks');
    await isLoaded(page, 58);
    expect(await rows(page).count()).toBeLessThan(50);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let row = 2; row <= 59; row += 1) {
      await page.keyboard.press('j');
      await expect.poll(() => focusedRow(page), { interval: 10 }).toBe(`${row}`);
    }
    expect(await rows(page).count()).toBeLessThan(50);
    await page.mouse.wheel(0, -20_000);
    await rowAt(page, 1).waitFor();
    expect(await focusedRow(page)).toBe('59');
    await page.keyboard.press('k');
    await expect.poll(() => focusedRow(page)).toBe('58');
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeCloseTo(height, -1);
  });

  test('keeps its rows in place when a reason comes or goes', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    await agent.call('send_task', { alias: 'worker-1', task: 'Below' });
    await agent.call('send_task', { alias: 'worker-1', task: 'Above' });
    await goTo(page, 'Tasks');
    await taskRow(page, 'Above').filter({ hasText: 'worker-1 is blocked' }).waitFor();
    await taskRow(page, 'Below').hover();
    const at = await taskRow(page, 'Below').boundingBox();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'working' });
    await taskRow(page, 'Above').filter({ hasText: 'worker-1 is working' }).waitFor();
    expect(await taskRow(page, 'Below').boundingBox()).toEqual(at);
  });
});

async function withChores(number: number) {
  const fixture = await signedIn();
  await Promise.all(
    Array.from({ length: number }, (_, n) =>
      fixture.agent.call('send_task', { alias: 'worker-1', task: `Chore ${n}` }),
    ),
  );
  return fixture;
}

/** The head is the first row. */
function isLoaded(page: Page, number: number): Promise<void> {
  return page.locator(`.task-list[aria-rowcount="${number + 1}"]`).waitFor();
}

function rows(page: Page): Locator {
  return page.locator('.task-list .row');
}

function rowAt(page: Page, number: number): Locator {
  return page.locator(`.task-list .row[aria-rowindex="${number + 1}"]`);
}

/** The text that has the focus afterwards. A key has no effect while the page is still being rendered. */
async function pressed(page: Page, key: string): Promise<string | null | undefined> {
  await page.keyboard.press(key);
  return focusedText(page);
}

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent);
}

function focusedRow(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.closest('.row')?.getAttribute('aria-rowindex'));
}
