import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { audit } from '../accessibility.ts';
import { browser, counted, isLive, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('saved filters', () => {
  test('are saved under a name, opened from the page and the palette, renamed, replaced and deleted', async () => {
    const { page } = await signedIn();
    await page.goto('/tasks?status=failed&to=builder');
    await save(page, 'Broken builds');
    expect(searchOf(page)).toBe('?status=failed&to=builder');
    await page.goto('/tasks?priority=high');
    await menu(page);
    const dialog = page.getByRole('dialog', { name: 'Saved filters' });
    await audit(page, 'the saved filters');
    await dialog.getByLabel('Save this filter as').fill('Broken builds');
    await dialog.getByText('Replaces “Broken builds”.').waitFor();
    await dialog.getByLabel('Save this filter as').fill('Urgent');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await menu(page);
    await dialog.getByRole('button', { name: 'Rename Urgent' }).click();
    await dialog.getByLabel('New name').fill('Very urgent');
    await page.keyboard.press('Enter');
    await dialog.getByRole('link', { name: 'Very urgent' }).waitFor();
    await dialog.getByRole('link', { name: 'Broken builds' }).click();
    await expect.poll(() => searchOf(page)).toBe('?status=failed&to=builder');
    await page.goto('/');
    await isLive(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('very');
    await page.getByRole('option', { name: 'Very urgent' }).filter({ hasText: 'Tasks' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname + searchOf(page)).toBe('/tasks?priority=high');
    await menu(page);
    await dialog.getByRole('button', { name: 'Delete Very urgent' }).click();
    await dialog.getByRole('link', { name: 'Very urgent' }).waitFor({ state: 'detached' });
    await page.reload();
    await dialog.getByRole('link', { name: 'Broken builds' }).waitFor();
    expect(await dialog.getByRole('link').count()).toBe(1);
  });

  test('are kept for each page, network and person', async () => {
    const { page } = await signedIn();
    for (const [path, name] of [
      ['/agents?sort=-seen', 'Quiet'],
      ['/messages?of=ada', 'Mine'],
      ['/search?text=wall', 'Walls'],
    ] as const) {
      await page.goto(path);
      await save(page, name);
      await menu(page);
      await expect.poll(() => page.getByRole('dialog').getByRole('link').allTextContents()).toEqual([name]);
    }
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('agenthub.filters'))),
    ).toEqual([
      await page.evaluate(() => {
        const { user, network_id } = JSON.parse(sessionStorage.getItem('agenthub.account') ?? '{}');
        return `agenthub.filters ${user.user_id} ${network_id}`;
      }),
    ]);
  });

  test('with values that no longer exist open without them, and say so', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', { alias: 'builder', task: 'Build', priority: 'high' });
    await page.evaluate(() => {
      const { user, network_id } = JSON.parse(sessionStorage.getItem('agenthub.account') ?? '{}');
      const stale = { name: 'Old', page: 'tasks', query: { status: 'parked', color: 'blue', priority: 'high' } };
      const broken = [{ name: 'Torn' }, null, 7, { name: 'Elsewhere', page: 'planets', query: {} }];
      localStorage.setItem(`agenthub.filters ${user.user_id} ${network_id}`, JSON.stringify([stale, ...broken]));
    });
    await page.goto('/tasks?dialog=filters');
    const dialog = page.getByRole('dialog', { name: 'Saved filters' });
    await dialog.getByText('Set a filter first to save it here.').waitFor();
    expect(await dialog.getByRole('link').allTextContents()).toEqual(['Old']);
    await dialog.getByRole('link', { name: 'Old' }).click();
    await page.getByText('Opened “Old” without values that no longer exist: status: parked, color: blue.').waitFor();
    expect(searchOf(page)).toBe('?priority=high');
    await counted(page, 'Tasks', 'Delivered', 1);
    await page.getByText('1 task matches').waitFor();
  });
});

async function menu(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Saved filters' }).click();
}

async function save(page: Page, name: string): Promise<void> {
  await menu(page);
  await page.getByLabel('Save this filter as').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
