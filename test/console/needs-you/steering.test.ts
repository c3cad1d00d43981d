import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { McpClient } from '../../support/http/mcp-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import { browser, goTo, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('steering agents', () => {
  test('takes the task of a blocked agent away on its page, for an idle one', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'idle');
    await reports(agent, 'busy', 'working');
    const task_id = await runs(agent, 'builder');
    await reports(agent, 'builder', 'blocked');
    await row(page, 'builder').getByRole('link', { name: 'builder' }).click();
    await page.getByRole('button', { name: 'Reassign', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const idle = dialog.getByRole('group', { name: 'Idle' }).getByRole('button');
    expect(await idle.allTextContents()).toEqual(['tester']);
    // One that becomes busy keeps its place.
    await reports(agent, 'tester', 'working');
    await dialog.getByRole('button', { name: 'tester', disabled: true }).waitFor();
    await reports(agent, 'another', 'idle');
    await dialog.getByRole('button', { name: 'another' }).waitFor();
    await reports(agent, 'tester', 'idle');
    await dialog.getByRole('button', { name: 'tester', disabled: false }).waitFor();
    expect(await idle.allTextContents()).toEqual(['tester', 'another']);
    await idle.first().click();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await agent.call('get_task', { task_id })).toMatchObject({ task: { to_name: 'tester' } });
  });

  test('takes the task of an agent that asks away in place, after which its question needs nobody', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'idle');
    await runs(agent, 'builder');
    await reports(agent, 'builder', 'waiting_input', 'Which color?');
    await agent.call('send_message', { alias: 'ada', message: 'Which color?', from_session: 'builder' });
    await row(page, 'Needs input: Which color?').getByRole('button', { name: 'Reassign: builder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'tester', exact: true }).click();
    await dialog.getByRole('button', { name: 'Reassign', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Needs you: 0', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Restore 1 dismissed' }).waitFor();
  });

  test('keeps the question that is answered, and holds the answer once if the agent asks something else', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'builder', 'waiting_input', 'Which color?');
    await row(page, 'Needs input: Which color?').getByRole('button', { name: 'Answer: builder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer builder' });
    await dialog.getByText('Which color?').waitFor();
    await page.keyboard.type('Yes');
    await reports(agent, 'builder', 'working');
    await reports(agent, 'builder', 'waiting_input', 'Delete everything?');
    await dialog.getByText('and says “Delete everything?”').waitFor();
    expect(await dialog.getByRole('group', { name: 'Output' }).textContent()).toBe('Which color?');
    const inbox = async () => listOf(await agent.call('get_inbox', { alias: 'builder' }), 'messages');
    await page.keyboard.press('Control+Enter');
    await dialog.getByRole('button', { name: 'Send answer' }).waitFor();
    expect(await inbox()).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await inbox()).toMatchObject([{ type: 'message', content: '> Which color?\n\nYes' }]);
  });

  test('says that the task has ended while its agent is answered, and repeats no old question as new', async () => {
    const { page, agent } = await signedIn();
    const task_id = await runs(agent, 'builder');
    await reports(agent, 'builder', 'waiting_input', 'Which color?');
    await row(page, 'Needs input: Which color?').getByRole('button', { name: 'Answer: builder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer builder' });
    await dialog.getByText('The task continues.').waitFor();
    const failure = { alias: 'ada', text: 'No paint', in_reply_to: task_id, from_session: 'builder', status: 'failed' };
    await agent.call('send_reply', failure);
    await agent.call('report_status', { resume_id: 'builder', alias: 'builder', status: 'idle' });
    await dialog.getByText('The task has ended.').waitFor();
    await dialog.getByText('builder has gone on since you opened this. Send it anyway?').waitFor();
  });

  test('keeps the error of an agent whose task was taken away', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'idle');
    await runs(agent, 'builder');
    await reports(agent, 'builder', 'error', 'No space left');
    await row(page, 'No space left').getByRole('button', { name: 'Reassign: builder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'tester', exact: true }).click();
    await dialog.getByRole('button', { name: 'Reassign', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await row(page, 'No space left').waitFor();
  });

  test('knows that an agent was answered elsewhere', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'builder', 'waiting_input', 'Which color?');
    await reports(agent, 'tester', 'waiting_input', 'Which port?');
    await row(page, 'Needs input: Which color?').waitFor();
    // An answer from the second of the question may be to the one before it.
    await expect
      .poll(
        async () => {
          await agent.call('send_message', { alias: 'builder', message: 'Blue', from_session: 'ada' });
          return row(page, 'builder').textContent();
        },
        { timeout: 20_000, interval: 500 },
      )
      .toContain('Answered · Needs input: Which color?');
    expect(await row(page, 'tester').textContent()).not.toContain('Answered');
    // As in another browser.
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('agenthub.needs.')) localStorage.removeItem(key);
    });
    await page.reload();
    await row(page, 'Answered · Needs input: Which color?').waitFor();
  });

  test('offers the actions of the focused row in the palette, and says which keys it has', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'builder', 'waiting_input', 'Which color?');
    const task_id = await runs(agent, 'tester');
    const failure = { alias: 'ada', text: 'No paint', in_reply_to: task_id, from_session: 'tester', status: 'failed' };
    await agent.call('send_reply', failure);
    await row(page, 'No paint').waitFor();
    const link = row(page, 'Needs input: Which color?').getByRole('link', { name: 'builder' });
    await link.focus();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    const first = palette.getByRole('option').first();
    expect(await first.textContent()).toContain('Answer: builder');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Answer builder' }).waitFor();
    await page.keyboard.press('Escape');
    await link.focus();
    await page.keyboard.press('r');
    await page.getByText('No action for “r” here. Keys of this row: a Answer · d Dismiss.').waitFor();
  });

  test('writes to an agent that has asked nothing in a dialog that says so', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'builder', 'blocked');
    await row(page, 'builder').getByRole('button', { name: 'Message: builder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Message builder' });
    await dialog.getByLabel('Your message').fill('Use the other branch');
    await dialog.getByRole('button', { name: 'Send message' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [sent] = listOf(await agent.call('get_inbox', { alias: 'builder' }), 'messages');
    expect(sent).toMatchObject({ content: 'Use the other branch' });
  });

  test('leaves no result unread that was seen on the page of its task', async () => {
    const { page, agent } = await signedIn();
    const task_id = await runs(agent, 'builder');
    await agent.call('send_reply', { alias: 'ada', text: 'Painted', in_reply_to: task_id, from_session: 'builder' });
    await row(page, '1 result').getByRole('link', { name: '1 result' }).click();
    await page.getByText('Painted').first().waitFor();
    await expect.poll(async () => (await agent.call('get_inbox', { alias: 'ada' }))['messages']).toEqual([]);
    await goTo(page, 'Overview');
    await page.getByText('Nothing needs your attention.').waitFor();
  });

  test('does not let rows overlap when the window becomes narrow while the list is held', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 1440, height: 900 } });
    const question = `Which of these branches do I use? ${'release '.repeat(20)}`;
    for (const alias of ['builder', 'tester', 'worker']) await reports(agent, alias, 'waiting_input', question);
    await row(page, 'worker').getByRole('link', { name: 'worker' }).focus();
    await page.setViewportSize({ width: 375, height: 900 });
    await expect.poll(() => overlapping(page)).toBe(0);
  });

  test('shows the question at the end of a long message', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 812 } });
    const message = ['I compared the queues.', ...Array(40).fill('It is fast.'), 'Which one do I take?'].join('\n\n');
    await agent.call('send_message', { alias: 'ada', message, from_session: 'builder' });
    await row(page, 'Which one do I take?').getByRole('button', { name: 'Answer: builder' }).click();
    const dialog = page.getByRole('dialog');
    const [shown, asked] = [dialog.getByRole('group', { name: 'Answering' }), dialog.getByText('Which one do I take?')];
    await asked.waitFor();
    const bottomOf = async (each: typeof shown) => each.evaluate((element) => element.getBoundingClientRect().bottom);
    expect(await bottomOf(asked)).toBeLessThanOrEqual((await bottomOf(shown)) + 1);
  });

  test('does not let rows overlap when an answered agent asks something longer', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 900 } });
    for (const alias of ['builder', 'tester']) await reports(agent, alias, 'waiting_input', 'Go?');
    await row(page, 'tester').waitFor(); // one that came later would be the new item below
    await row(page, 'builder').getByRole('button', { name: 'Answer: builder' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Your answer').fill('Go');
    await page.keyboard.press('Control+Enter');
    await row(page, 'builder').locator('.row-link:focus').waitFor();
    await reports(agent, 'builder', 'waiting_input', `Which of these branches do I use? ${'release '.repeat(20)}`);
    await page.getByRole('button', { name: '1 new item' }).click();
    await row(page, 'builder').getByText('Which of these branches').waitFor();
    expect(await overlapping(page)).toBe(0); // at once: it would be right again when the list is released
  });

  test('takes the task away that the agent reports, of two that it runs', async () => {
    const { page, agent } = await signedIn();
    const reported = await runs(agent, 'builder', 'Paint the wall');
    const newer = await runs(agent, 'builder', 'Mow the lawn');
    const waits = { resume_id: 'builder', alias: 'builder', status: 'waiting_input', output: 'Which color?' };
    await agent.call('report_status', { ...waits, task: reported });
    await row(page, 'Paint the wall').getByRole('button', { name: 'Cancel: builder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Paint the wall').waitFor();
    await dialog.getByRole('button', { name: 'Cancel this task' }).click();
    await dialog.waitFor({ state: 'detached' });
    const statusOf = async (task_id: string) => objectOf(await agent.call('get_task', { task_id }), 'task')['status'];
    expect([await statusOf(reported), await statusOf(newer)]).toEqual(['cancelled', 'running']);
  });

  test('holds the list from the link in the top bar on, whose focus is visible', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await page.getByRole('link', { name: 'Needs you: 1', exact: true }).click();
    await page.mouse.move(0, 0);
    await row(page, 'tester').locator('.row-link:focus').waitFor();
    await reports(agent, 'builder', 'waiting_input', 'Which color?');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    expect(await page.locator('.need .row-link').allTextContents()).toEqual(['tester']);
    await page.getByRole('link', { name: 'Needs you: 2', exact: true }).click();
    await row(page, 'builder').locator('.row-link:focus').waitFor();
    expect(await page.locator('.need .row-link').allTextContents()).toEqual(['builder', 'tester']);
  });

  test('keeps the rows below in place when one with a long reason is handled', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 800 } });
    await reports(agent, 'builder', 'waiting_input', `Which of these branches do I use? ${'release '.repeat(30)}`);
    await reports(agent, 'worker', 'blocked');
    await row(page, 'worker').waitFor();
    const top = async () => (await row(page, 'worker').boundingBox())?.y;
    await row(page, 'builder').getByRole('button', { name: 'Dismiss: builder' }).focus();
    const before = await top();
    await page.keyboard.press('Enter');
    await row(page, 'builder').getByText('Dismissed', { exact: true }).waitFor();
    expect(await top()).toBe(before);
  });
});

function row(page: Page, text: string) {
  return page.getByRole('region', { name: 'Needs you' }).getByRole('listitem').filter({ hasText: text });
}

/** The number of rows whose content ends below them. */
function overlapping(page: Page): Promise<number> {
  return page.locator('.need').evaluateAll(
    (rows) =>
      rows.filter((each) => {
        const bottoms = [...each.querySelectorAll('*')].map((inner) => inner.getBoundingClientRect().bottom);
        return Math.max(...bottoms) > each.getBoundingClientRect().bottom + 1;
      }).length,
  );
}

async function reports(agent: McpClient, alias: string, status: string, output = ''): Promise<void> {
  await agent.call('report_status', { resume_id: alias, alias, status, output });
}

/** Returns the id of the task. */
async function runs(agent: McpClient, alias: string, task = 'Paint the wall'): Promise<string> {
  const task_id = textOf(await agent.call('send_task', { alias, task, from_session: 'ada' }), 'task_id');
  await agent.call('ack_inbox', { alias, message_id: task_id });
  return task_id;
}
