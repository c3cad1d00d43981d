import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';
import { anotherUser } from '../other-users.ts';

describe.skipIf(browser === undefined)('answering in the console', () => {
  test('a running task continues after an answer, which its agent receives', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await agent.call('report_status', {
      resume_id: 'r1',
      alias: 'worker-1',
      status: 'waiting_input',
      output: 'Reading the plan\nWhich color?\n',
    });
    const task_id = await runningTask(fixture);
    await page.goto(`/tasks/${task_id}`);
    await page.getByRole('button', { name: 'Answer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer worker-1' });
    await dialog.getByText('Paint the wall').waitFor();
    await dialog.getByRole('group', { name: 'Latest output' }).getByText('Which color?').waitFor();
    await dialog.getByText('worker-1 needs input.').waitFor();
    await dialog.getByText('worker-1 sees your message the next time it reads its inbox.').waitFor();
    await audit(page, 'the dialog to answer');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('Enter'); // the focus is back on the button
    await dialog.getByRole('button', { name: 'Send answer' }).click();
    await dialog.getByText('Enter an answer.').waitFor();
    await dialog.getByLabel('Your answer').fill('Blue');
    await dialog.getByLabel('Your answer').press('Control+Enter');
    await page.getByText('Sent to worker-1.').waitFor();
    const answers = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    const content = '> Which color?\n\nBlue';
    expect(answers).toMatchObject([{ type: 'message', content, from_session: 'ada', in_reply_to: task_id }]);
    expect(await statusOf(fixture, task_id)).toBe('running');
  });

  test('a task answered on the messages page continues, and ends only when it is settled', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    const { task_id } = await agent.call('send_task', {
      alias: 'ada',
      task: 'Choose a color',
      from_session: 'worker-1',
    });
    await page.goto('/messages?of=ada');
    await answer(page, 'worker-1', 'Choose a color', 'Which ones are there?');
    const quote = item(page, 'Which ones are there?').getByRole('link', {
      name: 'In reply to worker-1: Choose a color',
    });
    await quote.waitFor();
    const [asked] = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    expect(asked).toMatchObject({ type: 'message', in_reply_to: task_id });
    expect(await statusOf(fixture, String(task_id))).toBe('delivered');

    await answer(page, 'worker-1', 'Choose a color', 'Blue', async () => {
      await page.getByRole('radio', { name: 'Settle task' }).check();
      await page.getByText('This ends the task. The result goes to its sender, worker-1.').waitFor();
      expect(await page.getByRole('radio', { name: 'Replied' }).isChecked()).toBe(true);
      await audit(page, 'the choice to settle');
    });
    await item(page, 'Choose a color').filter({ hasText: 'Replied' }).first().waitFor();
    expect(await statusOf(fixture, String(task_id))).toBe('replied');

    await quote.click();
    await page.getByRole('heading', { level: 1, name: 'Choose a color' }).waitFor();
  });

  test('an answer quotes its message and leads to it', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 812 } });
    const question = `May I deploy? ${'The build is green. '.repeat(8)}`;
    await agent.call('send_message', { alias: 'ada', message: question, from_session: 'worker-1' });
    for (let n = 1; n <= 20; n += 1)
      await agent.call('send_message', { alias: 'ada', message: `Line ${n}.`, from_session: 'worker-1' });
    await page.goto('/messages?of=worker-1');
    await answer(page, 'worker-1', 'May I deploy?', 'Tomorrow');
    const log = page.getByRole('log');
    await item(page, 'Tomorrow').scrollIntoViewIfNeeded();
    await expect.poll(() => isOnScreen(page, 'May I deploy?')).toBe(false);
    await item(page, 'Tomorrow').getByRole('link', { name: 'In reply to worker-1: May I deploy?' }).click();
    await expect.poll(() => isOnScreen(page, 'May I deploy?')).toBe(true);
    expect(await log.locator('li:focus').textContent()).toContain('May I deploy?');
    expect(await log.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test('a conversation starts at the first unread message, even if the agents are loaded after it', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_message', { alias: 'ada', message: 'Which color?', from_session: 'worker-1' });
    for (let n = 1; n <= 20; n += 1)
      await agent.call('send_message', { alias: 'worker-2', message: `Line ${n}.`, from_session: 'worker-1' });
    const held = Promise.withResolvers<void>();
    await page.route('**/api/status*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto('/messages?of=worker-1');
    await item(page, 'Line 20.').waitFor();
    expect(await isOnScreen(page, 'Which color?')).toBe(false);
    held.resolve();
    await expect.poll(() => isOnScreen(page, 'Which color?')).toBe(true);
  });

  test('mail is unread until it has been on the screen', async () => {
    const { hub, networkId, userToken, agent } = await signedIn();
    const grace = await anotherUser(hub, 'grace');
    const invite = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'member' });
    await restClient(hub.url, grace.userToken).post('/api/networks/join', { invite_code: invite.body['invite_code'] });
    const send = (alias: string, message: string) =>
      agent.call('send_message', { alias, message, from_session: 'worker-1' });
    const report = async (alias: string, text: string) => {
      const { message_id: in_reply_to } = await agent.call('send_message', {
        alias: 'worker-1',
        message: 'Please do it.',
        from_session: alias,
      });
      await agent.call('send_reply', { alias, text, in_reply_to, status: 'replied', from_session: 'worker-1' });
    };
    await report('grace', 'First');
    await nextMoment();
    await send('grace', 'Which color?');
    for (let n = 1; n <= 20; n += 1) await send('worker-2', `Line ${n}.`);
    await nextMoment();
    await report('grace', 'Last');
    await report('hub', 'To the hub');

    const { page } = grace;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/messages/read', async (route) => {
      await held;
      await route.continue();
    });
    await page.evaluate((network_id) => {
      const kept = sessionStorage.getItem('agenthub.account') ?? '';
      sessionStorage.setItem('agenthub.account', JSON.stringify({ ...JSON.parse(kept), network_id }));
    }, networkId);
    await page.goto('/messages?of=worker-1');
    await item(page, 'First').getByText('unread').waitFor();
    const own = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'grace' });
    await own.getByText('3 unread messages').waitFor();
    await audit(page, 'unread mail');
    release();
    // If the request was held too long, the console sends it again after 15 seconds.
    await item(page, 'First').getByText('read', { exact: true }).waitFor({ timeout: 45_000 });
    const pending = () => pendingTexts(hub.url, grace.userToken, networkId);
    await expect.poll(pending).not.toContain('First');
    await own.getByText('2 unread messages').waitFor();
    expect(await pending()).toContain('Last');
    expect(await pending()).toContain('To the hub');
    await item(page, 'Last').scrollIntoViewIfNeeded();
    await expect.poll(pending).not.toContain('Last');
    expect(await pending()).toContain('To the hub');
    // A question stays until it is answered or marked as read.
    expect(await pending()).toContain('Which color?');
    await item(page, 'Which color?').getByRole('button', { name: 'Mark as read' }).click();
    await expect.poll(pending).not.toContain('Which color?');
    await own.getByText('unread').waitFor({ state: 'detached' });
  });
});

describe.skipIf(browser === undefined)('the page of a message', () => {
  test('marks a question as read, and quotes what it answers', async () => {
    const fixture = await signedIn();
    const { page, agent, hub, userToken, networkId } = fixture;
    const task_id = await runningTask(fixture);
    const ask = (message: string, in_reply_to: string) =>
      agent.call('send_message', { alias: 'ada', message, from_session: 'worker-1', in_reply_to });
    const first = textOf(await ask('Which color?', task_id), 'message_id');
    const second = textOf(await ask('Or no color?', first), 'message_id');
    const pending = () => pendingTexts(hub.url, userToken, networkId);
    expect(await pending()).toEqual(expect.arrayContaining(['Which color?', 'Or no color?']));
    await page.goto(`/messages/${first}`);
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await expect.poll(pending).not.toContain('Which color?');
    expect(await pending()).toContain('Or no color?');
    await page.goto(`/messages/${second}`);
    await page.getByText('In reply to').getByRole('link', { name: 'worker-1: Which color?' }).click();
    await page.getByText('In reply to').getByRole('link', { name: 'boss: Paint the wall' }).click();
    await page.waitForURL(`**/tasks/${task_id}`);
  });
});

async function runningTask({ agent }: SignedIn): Promise<string> {
  const task_id = textOf(
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall', from_session: 'boss' }),
    'task_id',
  );
  const [message] = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
  await agent.call('ack_inbox', { alias: 'worker-1', message_id: message?.['id'] });
  return task_id;
}

async function statusOf({ agent }: SignedIn, task_id: string): Promise<string> {
  return textOf(objectOf(await agent.call('get_task', { task_id }), 'task'), 'status');
}

async function answer(page: Page, to: string, asked: string, text: string, before = async () => {}): Promise<void> {
  await item(page, asked)
    .getByRole('link', { name: `Answer ${to}` })
    .first()
    .click();
  await before();
  const field = page.getByRole('textbox', { name: /^(Answer|Result)$/ });
  await field.fill(text);
  await field.press('Control+Enter');
  await item(page, text).waitFor();
}

function item(page: Page, text: string) {
  return page.getByRole('log').getByRole('listitem').filter({ hasText: text });
}

function isOnScreen(page: Page, text: string): Promise<boolean> {
  return page.getByRole('log').evaluate((log, wanted) => {
    const row = [...log.querySelectorAll('li')].find(({ textContent }) => textContent.includes(wanted));
    const [frame, box] = [log.getBoundingClientRect(), row?.getBoundingClientRect()];
    return box !== undefined && box.top >= frame.top && box.bottom <= frame.bottom;
  }, text);
}

async function pendingTexts(url: string, token: string, network_id: string): Promise<string[]> {
  const { body } = await restClient(url, token).get(`/api/messages?network_id=${network_id}&pending=true`);
  return listOf(body, 'messages').map((message) => textOf(message, 'content'));
}

/** Messages of the same millisecond are shown in any order. */
async function nextMoment(): Promise<void> {
  for (const moment = Date.now(); Date.now() === moment; ) await nextTurn();
}
