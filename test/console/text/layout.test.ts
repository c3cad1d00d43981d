import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { browser, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the layout', () => {
  test('has the space for the bullets of a list where its text starts', async () => {
    const { page, agent } = await signedIn();
    const task = '- לצבוע את הקיר\n- לנקות את הרצפה\n\nThen:\n\n* sweep\n* paint';
    const sent = await agent.call('send_task', { alias: 'painter', task });
    await page.goto(`/tasks/${textOf(sent, 'task_id')}`);
    const lists = page.locator('.agent-text ul');
    await lists.nth(1).waitFor();
    expect([await directionOf(lists.nth(0)), await directionOf(lists.nth(1))]).toEqual(['rtl', 'ltr']);
  });

  test('leaves the button that sends free when a message was sent, and keeps all filters in one line', async () => {
    const { page } = await signedIn({ viewport: { width: 1280, height: 800 } });
    await page.goto('/messages?of=painter');
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Paint');
    await page.getByRole('textbox', { name: 'Task', exact: true }).press('Control+Enter');
    await page.locator('.toast').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click({ trial: true, timeout: 2_000 });
    await page.goto('/tasks?text=paint&to=painter');
    await page.getByText('1 task matches').waitFor();
    const [search, clear] = await Promise.all([
      page.getByRole('searchbox').first().boundingBox(),
      page.getByRole('link', { name: 'Clear filters' }).first().boundingBox(),
    ]);
    expect(Math.abs((search?.y ?? 0) - (clear?.y ?? 0))).toBeLessThan(10);
  });

  test('shows the progress of an agent at its full width, above a short output', async () => {
    const { page, agent } = await signedIn();
    const task_id = textOf(await agent.call('send_task', { alias: 'painter', task: 'Paint' }), 'task_id');
    await agent.call('send_ack', { task_id, from_session: 'painter' });
    await agent.call('report_status', {
      resume_id: 'r1',
      alias: 'painter',
      status: 'working',
      output: 'Ok',
      progress: 40,
    });
    await page.goto(`/tasks/${task_id}`);
    const card = page.getByRole('region', { name: 'Latest output' });
    const bar = await card.getByRole('progressbar').boundingBox();
    const output = await card.getByText('Ok').boundingBox();
    expect(bar?.width).toBeGreaterThan(100);
    expect(Math.abs((bar?.x ?? 0) - (output?.x ?? 0))).toBeLessThan(2);
  });
});

function directionOf(element: Locator): Promise<string> {
  return element.evaluate((shown) => getComputedStyle(shown).direction);
}
