import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { browser, goTo, type SignedIn, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('messages', () => {
  test('a task, a message, a reply and a broadcast are each sent with their type', async () => {
    const { page, agent } = await twoAgents();
    await page.goto('/messages?of=worker-1');
    await page.getByText('Priority, expiry, context').click();
    await page.getByRole('radio', { name: 'High' }).check();
    await page.getByLabel('Expires after').selectOption('5m');
    await page.getByLabel('Context (optional)').fill('the blue one');
    await write(page, 'Task', 'Paint the wall');
    await messageItem(page, 'Paint the wall').filter({ hasText: 'High' }).waitFor();
    const [task] = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    expect(task).toMatchObject({ type: 'task', priority: 'high', context: 'the blue one', from_session: 'ada' });

    await page.getByRole('radio', { name: 'Message' }).check();
    await write(page, 'Message', 'Mind the lift');
    await messageItem(page, 'Mind the lift').filter({ hasText: 'Message' }).waitFor();

    await messageItem(page, 'Paint the wall').getByRole('link', { name: 'Open task' }).waitFor();
    await page.goto('/messages?of=worker-2');
    await agent.call('send_task', { alias: 'worker-1', task: 'Fetch the paint', from_session: 'worker-2' });
    await messageItem(page, 'Fetch the paint').getByRole('link', { name: 'Answer worker-2' }).click();
    await page.getByRole('radio', { name: 'Settle task' }).check();
    await page.getByRole('radio', { name: 'Failed' }).check();
    await write(page, 'Result', 'There is none');
    await messageItem(page, 'There is none').filter({ hasText: 'Failed' }).waitFor();
    await messageItem(page, 'Fetch the paint')
      .filter({ hasText: 'Open task' })
      .filter({ hasText: 'Failed' })
      .first()
      .waitFor();

    await page.getByRole('radio', { name: 'Broadcast' }).check();
    await page.getByText('2 agents online').waitFor();
    await write(page, 'Broadcast', 'Lunch!');
    await page.getByText('Sent to 2 agents.').waitFor();
    await page.getByRole('link', { name: 'Everyone' }).click();
    await messageItem(page, 'Lunch!').filter({ hasText: '2 agents' }).waitFor();
    expect(await messageItem(page, 'Lunch!').count()).toBe(1);
  });

  test('missing fields are reported and nothing is sent', async () => {
    const { page, userToken, hub } = await twoAgents();
    await goTo(page, 'Messages');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Enter an agent alias.').waitFor();
    await page.getByText('Enter some text.').waitFor();
    expect(listOf((await restClient(hub.url, userToken).get('/api/messages')).body, 'messages')).toEqual([]);
  });

  test('a conversation between two agents shows only their messages', async () => {
    const { page, agent } = await twoAgents();
    await agent.call('send_message', { alias: 'worker-2', message: 'Are you there?', from_session: 'worker-1' });
    await agent.call('send_message', { alias: 'worker-1', message: 'Who is there?', from_session: 'worker-2' });
    await agent.call('send_message', { alias: 'worker-1', message: 'Not for you two', from_session: 'worker-3' });
    await page.goto('/messages');
    await messageItem(page, 'Not for you two').waitFor();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'worker-1' }).click();
    await page.getByLabel('Other participant', { exact: true }).fill('worker-2');
    await page.getByLabel('Other participant', { exact: true }).press('Enter');
    await expect.poll(() => searchOf(page)).toBe('?of=worker-1&with=worker-2');
    await messageItem(page, 'Who is there?').waitFor();
    await messageItem(page, 'Not for you two').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('log').getByRole('listitem').count()).toBe(2);
  });

  test('older messages load on request and new ones do not move the log', async () => {
    const { page, agent } = await twoAgents();
    for (let n = 1; n <= 70; n += 1)
      await agent.call('send_message', { alias: 'worker-1', message: `Line ${n}.`, from_session: 'worker-2' });
    await page.goto('/messages?of=worker-1');
    await messageItem(page, 'Line 70.').waitFor();
    const log = page.getByRole('log');
    expect(await messageItem(page, 'Line 1.').count()).toBe(0);
    await log.evaluate((element) => element.scrollTo({ top: 0 }));
    await page.getByRole('button', { name: 'Show older messages' }).click();
    await messageItem(page, 'Line 1.').waitFor();
    const before = await log.evaluate((element) => element.scrollTop);
    expect(before).toBeGreaterThan(100);
    await agent.call('send_message', { alias: 'worker-1', message: 'Line 71.', from_session: 'worker-2' });
    await page.getByRole('button', { name: '1 new message' }).waitFor();
    expect(await log.evaluate((element) => element.scrollTop)).toBe(before);
    await page.getByRole('button', { name: '1 new message' }).click();
    await expect
      .poll(() => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight))
      .toBeLessThan(2);
    const below = await page.locator('html').evaluate((element) => element.scrollHeight - element.clientHeight);
    expect(below, 'the page is scrolled only inside the log').toBe(0);
    await page.locator('main').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => log.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test('messages do not move under a resting pointer, and many of them wait', async () => {
    const { page, agent } = await twoAgents();
    const say = (text: string) =>
      agent.call('send_message', { alias: 'worker-1', message: text, from_session: 'worker-2' });
    for (let n = 1; n <= 20; n += 1) await say(`Line ${n}.`);
    await page.goto('/messages?of=worker-1');
    await messageItem(page, 'Line 20.').hover();
    const at = await messageItem(page, 'Line 20.').boundingBox();
    await say('Line 21.');
    await page.getByRole('button', { name: '1 new message' }).waitFor();
    expect(await messageItem(page, 'Line 21.').count()).toBe(1);
    // A pointer that does not move for 20 seconds holds nothing any more.
    let moves = 0;
    const move = () => messageItem(page, 'Line 20.').hover({ position: { x: 5 + 10 * (moves++ % 2), y: 5 } });
    for (let n = 22; n <= 91; n += 1) {
      await say(`Line ${n}.`);
      if (n % 3 === 0) await move();
    }
    const waiting = page.getByRole('button', { name: '71 new messages' });
    await expect.poll(() => move().then(() => waiting.count())).toBe(1);
    expect(await messageItem(page, 'Line 20.').boundingBox()).toEqual(at);
    await waiting.click();
    await messageItem(page, 'Line 91.').waitFor();
    expect(await page.getByRole('log').getByRole('listitem').count()).toBe(24);
  });

  test('unread results to hub open at the first one, and are read in this conversation only', async () => {
    const { page, agent } = await signedIn();
    const asked = await agent.call('send_message', { alias: 'builder', message: 'Try it.', from_session: 'hub' });
    const reply = { in_reply_to: textOf(asked, 'message_id'), status: 'failed', from_session: 'builder' };
    const send = (text: string, alias = 'hub') => agent.call('send_reply', { ...reply, alias, text });
    for (let n = 1; n <= 20; n++) await send(`Attempt ${n}.\n\nThe first line\n\nThe second line`);
    await goTo(page, 'Messages');
    const participant = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^hub/ });
    await participant.getByText('20 unread messages').waitFor({ state: 'attached' });
    // Mail to the person is read on this page, and the mail to hub next to it is not.
    await send('Done', 'ada');
    const read = page.getByRole('listitem').filter({ hasText: 'Done' }).getByText('read', { exact: true });
    await read.waitFor();
    await participant.getByText('20 unread messages').waitFor({ state: 'attached' });
    await goTo(page, 'Overview');
    await page.locator('.need').getByRole('link', { name: 'builder' }).click();
    await page.waitForURL('**/messages?of=builder&with=hub');
    await page.getByText('Attempt 1.').waitFor();
    expect(await isInView(page, 'Attempt 1.')).toBe(true);
    expect(await isInView(page, 'Attempt 20.')).toBe(false);
    const unread = () => participant.locator('.visually-hidden').textContent();
    await expect.poll(unread).not.toBe('20 unread messages');
    expect(await unread()).toMatch(/^1\d unread messages$/);
  });

  test('a viewer is told that access is read-only', async () => {
    const { page, hub, userToken } = await signedIn();
    const owner = restClient(hub.url);
    const grace = (await owner.post('/api/auth/register', { username: 'grace', password: 'correct horse' })).body;
    const rest = restClient(hub.url, textOf(grace, 'token'));
    const invite = (await rest.post(`/api/networks/${textOf(grace, 'network_id')}/invite`, { role: 'viewer' })).body;
    await restClient(hub.url, userToken).post('/api/networks/join', { invite_code: textOf(invite, 'invite_code') });
    await page.reload();
    await page.getByLabel('Network', { exact: true }).selectOption('grace');
    await goTo(page, 'Messages');
    await page.getByText('You have read-only access to this network.').waitFor();
  });
});

async function twoAgents(): Promise<SignedIn> {
  const fixture = await signedIn();
  await fixture.agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
  await fixture.agent.call('report_status', { resume_id: 'r2', alias: 'worker-2', status: 'idle' });
  return fixture;
}

function messageItem(page: Page, text: string) {
  return page.getByRole('log').getByRole('listitem').filter({ hasText: text });
}

async function write(page: Page, kind: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: kind, exact: true }).fill(text);
  await page.getByRole('textbox', { name: kind, exact: true }).press('Control+Enter');
}

function isInView(page: Page, text: string): Promise<boolean> {
  return page
    .getByText(text)
    .first()
    .evaluate((each) => {
      const [{ top, bottom }, log] = [each.getBoundingClientRect(), each.closest('.log')?.getBoundingClientRect()];
      return log !== undefined && top >= log.top && bottom <= log.bottom;
    });
}
