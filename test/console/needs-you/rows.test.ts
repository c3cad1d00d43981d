import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { McpClient } from '../../support/http/mcp-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the rows of what needs a person', () => {
  test('beyond the first ten are shown by j, and by the palette', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 1_440, height: 900 } });
    for (let n = 10; n < 22; n++) await reports(agent, `agent-${n}`, 'blocked');
    await counts(page, 12);
    expect(await rows(page).count()).toBe(10);
    for (let n = 0; n < 10; n++) await page.keyboard.press('j');
    expect(await focused(page)).toBe(9);
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toBe(10);
    expect(await rows(page).count()).toBe(12);
    await page.keyboard.press('j');
    expect(await focused(page)).toBe(11);

    await page.reload();
    await page.getByRole('button', { name: 'Show all 12' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Show all'); // its code may still be loading after the page
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(12);
    await expect.poll(() => focused(page)).toBe(10);
  });

  test('come back after a dismissal that is undone', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await reports(agent, 'builder', 'blocked');
    for (const alias of ['worker-1', 'worker-2']) await fails(fixture, alias);
    await counts(page, 3);
    await page.getByRole('button', { name: 'Dismiss: builder' }).click();
    await counts(page, 2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await counts(page, 3);
    await page.getByRole('button', { name: 'Dismiss 2 failures' }).click();
    await counts(page, 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await counts(page, 3);
  });

  test('keep their buttons on one line, and their height', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 1_440, height: 900 } });
    await reports(agent, 'worker', 'blocked'); // a list with nothing left to do would be released
    await runs(agent, 'builder');
    await reports(agent, 'builder', 'waiting_input');
    await agent.call('send_message', { alias: 'ada', message: 'Blue or gray?', from_session: 'builder' });
    const row = rows(page).filter({ hasText: 'builder' });
    await row.getByRole('button', { name: 'Dismiss: builder' }).waitFor();
    const tops = () =>
      row.getByRole('button').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
    expect(new Set(await tops()).size).toBe(1);
    expect(await tops()).toHaveLength(4);
    const height = async () => (await row.boundingBox())?.height;
    const before = await height();
    await row.hover();
    await row.getByRole('button', { name: 'Dismiss: builder' }).click();
    await row.getByText('Dismissed', { exact: true }).waitFor();
    expect(await height()).toBe(before);
  });

  test('of a question that an agent waits for can be dismissed without losing the question', async () => {
    const { page, agent } = await signedIn();
    await runs(agent, 'builder');
    await reports(agent, 'builder', 'waiting_input');
    const { message_id } = await agent.call('send_message', {
      alias: 'ada',
      message: 'Blue?',
      from_session: 'builder',
    });
    await rows(page).filter({ hasText: 'Blue?' }).getByRole('button', { name: 'Dismiss: builder' }).click();
    await counts(page, 0);
    const unread = listOf(await agent.call('get_inbox', { alias: 'ada' }), 'messages');
    expect(unread.map(({ id }) => id)).toContain(message_id);
    await page.getByRole('button', { name: 'Restore 1 dismissed' }).click();
    await counts(page, 1);
    await rows(page).filter({ hasText: 'Blue?' }).getByRole('button', { name: 'Answer: builder' }).waitFor();
  });
});

function rows(page: Page) {
  return page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
}

/** The index of the row that has the focus. */
function focused(page: Page): Promise<number> {
  return rows(page).evaluateAll((all) => all.findIndex((each) => each.contains(document.activeElement)));
}

function counts(page: Page, n: number): Promise<void> {
  return page.getByRole('link', { name: `Needs you: ${n}`, exact: true }).waitFor();
}

function reports(agent: McpClient, alias: string, status: string) {
  return agent.call('report_status', { resume_id: alias, alias, status });
}

async function runs(agent: McpClient, alias: string): Promise<void> {
  await agent.call('send_task', { alias, task: 'Paint the wall', from_session: 'ada' });
  const [message] = listOf(await agent.call('get_inbox', { alias }), 'messages');
  await agent.call('ack_inbox', { alias, message_id: message?.['id'] });
}

async function fails({ agent }: SignedIn, alias: string): Promise<void> {
  const sent = await agent.call('send_task', { alias, task: 'Paint the wall', from_session: 'ada' });
  const reply = { alias: 'ada', text: 'No paint', status: 'failed', from_session: alias };
  await agent.call('send_reply', { ...reply, in_reply_to: textOf(sent, 'task_id') });
}
