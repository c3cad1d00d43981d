import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { listOf, textOf } from '../../support/json.ts';
import { browser, isLive, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the composer of the messages page', () => {
  test('answers the open question of a conversation, and shows it', async () => {
    const { page, agent } = await signedIn();
    const send = (alias: string, from_session: string, message: string) =>
      agent.call('send_message', { alias, message, from_session });
    await agent.call('report_status', { resume_id: 'r1', alias: 'builder', status: 'idle' });
    const question_id = textOf(await send('ada', 'builder', 'May I deploy?'), 'message_id');
    for (let n = 1; n <= 20; n++) await send('builder', 'tester', `Line ${n}.`);
    await page.goto('/messages?of=builder'); // the link of a notifier
    await page.getByRole('radio', { name: 'Answer' }).and(page.locator(':checked')).waitFor();
    await page.locator('.composer-quote', { hasText: 'May I deploy?' }).waitFor();
    await expect.poll(() => isInView(page, 'May I deploy?')).toBe(true);
    expect(await page.locator('textarea:focus').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Answer', exact: true }).fill('Yes');
    await page.getByRole('textbox', { name: 'Answer', exact: true }).press('Control+Enter');
    await page.getByText('Sent to builder.').waitFor();
    const answers = listOf(await agent.call('get_inbox', { alias: 'builder', limit: 50 }), 'messages');
    expect(answers.at(-1)).toMatchObject({ content: 'Yes', in_reply_to: question_id });

    await page.goto('/messages?of=tester');
    await page.getByRole('log').getByText('Line 20.').waitFor();
    await page.getByRole('radio', { name: 'Message' }).and(page.locator(':checked')).waitFor();
  });

  test('answers an open question also after another conversation', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'builder', status: 'idle' });
    await agent.call('report_status', { resume_id: 'r2', alias: 'tester', status: 'idle' });
    await agent.call('send_message', { alias: 'ada', message: 'Which color?', from_session: 'builder' });
    await page.goto('/messages');
    await page.getByRole('log').getByText('Which color?').waitFor();
    const conversation = (name: string) =>
      page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name });
    await conversation('tester').click();
    await page.getByText('No messages').first().waitFor();
    expect(await page.getByRole('radio', { name: 'Task' }).isChecked()).toBe(true);
    await conversation('builder').click();
    await page.getByRole('radio', { name: 'Answer' }).and(page.locator(':checked')).waitFor();
    expect(searchOf(page)).toMatch(/^\?of=builder&kind=reply&reply_to=/);
  });

  test('is never addressed to the person', async () => {
    const { page } = await signedIn();
    await page.goto('/messages?of=ada');
    await isLive(page);
    await page.getByRole('radio', { name: 'Message' }).and(page.locator(':checked')).waitFor();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('');
    await page.goto('/tasks?to=ada');
    await page.getByRole('button', { name: 'Send a task', exact: true }).click();
    expect(await page.getByRole('dialog').getByLabel('To', { exact: true }).inputValue()).toBe('');
  });

  test('is left with Esc', async () => {
    const { page } = await signedIn();
    await page.goto('/messages?of=builder');
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Paint');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
});

function isInView(page: Page, text: string): Promise<boolean> {
  return page
    .getByRole('log')
    .getByText(text)
    .evaluate((each) => {
      const [{ top, bottom }, log] = [each.getBoundingClientRect(), each.closest('.log')?.getBoundingClientRect()];
      return log !== undefined && top >= log.top && bottom <= log.bottom;
    });
}
