import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, counted, searchOf, signedIn, taskRow } from './fixture.ts';

describe.skipIf(browser === undefined)('the console', () => {
  test('is controlled from the keyboard', async () => {
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
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Open the command palette').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Send a task' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  test('finds agents, tasks, pages and actions in the palette', async () => {
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
    await page.getByRole('combobox').fill(new URL(page.url()).pathname.replace('/tasks/', ''));
    await page.getByRole('option', { name: 'Water the roses' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('dark');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('all agents');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Send to all online agents' }).getByText('1 agent online').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zebra');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing found.').first().waitFor();
    expect(searchOf(page)).toBe('?text=zebra');
  });

  test('selects ranges of rows with Shift', async () => {
    const { page, agent } = await signedIn();
    for (let n = 1; n <= 6; n += 1) await agent.call('send_task', { alias: 'worker-1', task: `Chore ${n}` });
    await page.goto('/tasks');
    await taskRow(page, 'Chore 6').waitFor();
    const selected = () =>
      page.getByRole('region', { name: 'Tasks' }).locator('.row[data-selected="true"] .row-link').allTextContents();
    const box = (n: number) => page.getByLabel(`Select: Chore ${n}`);
    await box(5).click();
    await box(2).click({ modifiers: ['Shift'] });
    await expect.poll(selected).toEqual(['Chore 5', 'Chore 4', 'Chore 3', 'Chore 2']);
    await box(4).click({ modifiers: ['Shift'] });
    await expect.poll(selected).toEqual(['Chore 5', 'Chore 4']);
    await box(1).click();
    await box(2).click({ modifiers: ['Shift'] });
    await expect.poll(selected).toEqual(['Chore 5', 'Chore 4', 'Chore 2', 'Chore 1']);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.keyboard.press('j');
    for (const key of ['J', 'J', 'J', 'K']) await page.keyboard.press(`Shift+${key}`);
    await expect.poll(selected).toEqual(['Chore 6', 'Chore 5', 'Chore 4']);
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('');
  });

  test('acts on the open page from the palette', async () => {
    const { page, agent } = await signedIn();
    const { task_id } = await agent.call('send_task', { alias: 'worker-1', task: 'Water the roses' });
    await page.goto(`/tasks/${task_id}`);
    await page.getByRole('heading', { level: 1, name: 'Water the roses' }).waitFor();
    await choose(page, 'Cancel task');
    await page.getByRole('dialog', { name: 'Cancel task' }).getByRole('button', { name: 'Cancel this task' }).click();
    await page.getByText('Task cancelled.').waitFor();
    // The toast may come before the event: the palette lists the buttons that the page has when it opens.
    await page.getByRole('button', { name: 'Retry', exact: true }).waitFor();
    await choose(page, 'Retry');
    await page.getByText('Sent again to worker-1.').waitFor();
    await choose(page, 'Invite people');
    await page.getByRole('dialog', { name: 'Invite people' }).waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'Add two demo agents');
    await page.getByText('Two demo agents are running.').waitFor();
    await choose(page, 'Remove demo');
    await page.getByText('Demo removed.').waitFor();
  });
});

async function choose(page: Page, command: string): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command palette' }).fill(command);
  await page.getByRole('option', { name: command }).first().waitFor();
  await page.keyboard.press('Enter');
}
