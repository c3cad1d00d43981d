import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { browser, signedIn, taskRow } from '../fixture.ts';

describe.skipIf(browser === undefined)('the selected tasks', () => {
  test('are those that the filter shows, and Esc clears them', async () => {
    const { page, agent } = await signedIn();
    for (const [task, alias] of [
      ['Paint the wall', 'painter'],
      ['Paint the door', 'painter'],
      ['Sweep the floor', 'sweeper'],
    ] as const)
      await agent.call('send_task', { alias, task });
    await page.goto('/tasks');
    await page.getByLabel('Select all shown').check();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('searchbox').first().fill('paint');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await taskRow(page, 'Sweep the floor').waitFor();
    expect(await page.getByText('2 selected').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.getByText('2 selected').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByText('2 selected').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Select: Paint the wall').isChecked()).toBe(false);
  });

  test('lose a task that no longer matches', async () => {
    const { page, agent } = await signedIn();
    const sent = await agent.call('send_task', { alias: 'painter', task: 'Paint the wall' });
    await agent.call('send_task', { alias: 'painter', task: 'Paint the door' });
    await page.goto('/tasks?status=delivered');
    await page.getByLabel('Select all shown').check();
    await page.getByText('2 selected').waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('heading', { level: 1 }).click();
    await agent.call('send_ack', { task_id: textOf(sent, 'task_id'), from_session: 'painter' });
    await page.getByText('1 selected').waitFor();
  });
});

describe.skipIf(browser === undefined)('settling a task on its page', () => {
  test('moves the focus to the page', async () => {
    const { page, agent } = await signedIn();
    const task_id = textOf(await agent.call('send_task', { alias: 'painter', task: 'Paint the wall' }), 'task_id');
    await page.goto(`/tasks/${task_id}`);
    await page.getByRole('button', { name: 'Settle…' }).click();
    await page.getByRole('dialog').getByLabel('Result').fill('Painted');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Settle…' }).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content');
  });
});
