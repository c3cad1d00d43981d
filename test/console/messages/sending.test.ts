import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { browser, goTo, isLive, type SignedIn, signedIn, taskRow } from '../fixture.ts';

describe.skipIf(browser === undefined)('the send dialog', () => {
  test('keeps a draft through Esc, another page and a reload, until it is sent', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await page.keyboard.press('n');
    await text(page).fill('Paint the wall');
    await page.getByRole('radio', { name: 'High' }).check();
    await recipient(page).fill('worker-1');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await goTo(page, 'Tasks');
    await page.reload();
    await isLive(page);
    await page.keyboard.press('n');
    expect(await text(page).inputValue()).toBe('Paint the wall');
    expect(await page.getByRole('radio', { name: 'High' }).isChecked()).toBe(true);
    expect(await recipient(page).inputValue()).toBe('worker-1');
    await send(page).click();
    await taskRow(page, 'Paint the wall').waitFor();
    await page.keyboard.press('n');
    expect(await text(page).inputValue()).toBe('');
    expect(await recipient(page).inputValue()).toBe('');
    expect(await page.getByRole('radio', { name: 'Normal' }).isChecked()).toBe(true);
    expect((await tasksOf(fixture)).map(({ priority }) => priority)).toEqual(['high']);
  });

  test('keeps the draft of an answer on the messages page, for each participant', async () => {
    const { page } = await signedIn();
    await page.goto('/messages?of=worker-1');
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('For one');
    await page.goto('/messages?of=worker-2');
    await isLive(page);
    expect(await page.getByRole('textbox', { name: 'Task', exact: true }).inputValue()).toBe('');
    await page.goto('/messages?of=worker-1');
    await expect.poll(() => page.getByRole('textbox', { name: 'Task', exact: true }).inputValue()).toBe('For one');
  });

  test('starts with a message for the person, hub and other people, and does not ask whether they exist', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_message', { alias: 'alan', message: 'Lunch?', from_session: 'grace' });
    for (const name of ['ada', 'hub', 'grace']) {
      await page.goto(`/messages?of=${name}`);
      await page.getByRole('radio', { name: 'Message' }).and(page.locator(':checked')).waitFor();
      if (name !== 'grace') expect(await page.getByText('No agent has this name yet.').count()).toBe(0);
    }
    await page.goto('/messages?of=worker-1');
    await page.getByRole('radio', { name: 'Task' }).and(page.locator(':checked')).waitFor();
  });

  test('starts with an answer to the unread question of an agent, and only when the conversation is opened', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'builder', status: 'waiting_input' });
    await agent.call('send_message', { alias: 'ada', message: 'Blue or gray?', from_session: 'builder' });
    await page.goto('/messages?of=builder');
    await page.getByRole('radio', { name: 'Answer' }).and(page.locator(':checked')).waitFor();
    await page.getByText('builder: Blue or gray?').waitFor();
    await page.getByRole('textbox', { name: 'Answer', exact: true }).fill('Gray');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => listOf(await agent.call('get_inbox', { alias: 'builder' }), 'messages'))
      .toMatchObject([{ type: 'reply', content: 'Gray' }]);
    await page.getByRole('radio', { name: 'Message' }).and(page.locator(':checked')).waitFor();
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await field.fill('Paint the wall');
    await agent.call('send_message', { alias: 'ada', message: 'Which wall?', from_session: 'builder' });
    await page.getByText('Which wall?').first().waitFor();
    expect(await field.inputValue()).toBe('Paint the wall');
  });

  test('adds a recipient with Enter, and says that no agent has its name', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.keyboard.press('n');
    await text(page).fill('Paint the wall');
    await recipient(page).fill('worker-1');
    expect(await page.getByText('No agent has this name yet.').count()).toBe(0);
    await recipient(page).press('Enter');
    await recipient(page).fill('nobody');
    await page.getByText('No agent has this name yet.').waitFor();
    await recipient(page).press('Enter');
    expect(await recipient(page).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Remove nobody' }).waitFor();
    expect(await tasksOf(fixture)).toEqual([]);
    await recipient(page).press('Control+Enter');
    await expect.poll(async () => (await tasksOf(fixture)).length).toBe(2);
  });

  test('completes with Enter the start of the only alias that matches, and discards recipients', async () => {
    const { page, agent } = await signedIn();
    for (const alias of ['reviewer', 'painter-1', 'painter-2'])
      await agent.call('report_status', { resume_id: alias, alias, status: 'working' });
    await page.keyboard.press('n');
    for (const typed of ['revi', 'paint']) {
      await recipient(page).fill(typed);
      await page.getByText('No agent has this name yet.').waitFor();
      await recipient(page).press('Enter');
    }
    const recipients = page.getByRole('list', { name: 'Recipients' }).getByRole('listitem');
    expect(await recipients.allTextContents()).toEqual(['reviewer', 'paint']);
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await recipients.first().waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Discard draft' }).count()).toBe(0);
    expect(await text(page).evaluate((field) => field.matches(':focus'))).toBe(true);
  });

  test('sends one task to each of several agents, and again to those where sending failed', async () => {
    const fixture = await signedIn({ failures: ['500 /api/tasks'] });
    const { page, agent } = fixture;
    for (const alias of ['worker-1', 'worker-2', 'worker-3'])
      await agent.call('report_status', { resume_id: alias, alias, status: 'idle' });
    let refusals = 1;
    await page.route('**/api/tasks', (route) => {
      const isRefused = route.request().postDataJSON().alias === 'worker-2' && refusals-- > 0;
      return isRefused
        ? route.fulfill({ status: 500, json: { ok: false, error: 'internal_error', message: 'no' } })
        : route.continue();
    });
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Add 3 idle agents' }).click();
    await page.getByText('Each of the 3 agents gets its own copy.').waitFor();
    await recipient(page).fill('worker-4');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Remove worker-4' }).click();
    await text(page).fill('Sweep the floor');
    await audit(page, 'the dialog with several recipients');
    await send(page).click();
    await page.getByText('Not sent to 1 of 3 agents').waitFor();
    await audit(page, 'the dialog after a failure');
    expect(await page.getByRole('list', { name: 'Recipients' }).getByRole('listitem').count()).toBe(1);
    expect((await tasksOf(fixture)).map(({ to_name }) => to_name).sort()).toEqual(['worker-1', 'worker-3']);
    await send(page).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await tasksOf(fixture)).map(({ to_name }) => to_name).sort()).toEqual(['worker-1', 'worker-2', 'worker-3']);
  });

  test('does not send twice when only the response was lost', async () => {
    const fixture = await signedIn({ failures: ['0 /api/tasks'] });
    const { page } = fixture;
    let losses = 1;
    await page.route('**/api/tasks', async (route) => {
      if (losses-- <= 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.keyboard.press('n');
    await recipient(page).fill('worker-1');
    await text(page).fill('Only once');
    await send(page).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await send(page).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await tasksOf(fixture)).toHaveLength(1);
  });

  test('saves a template, asks for its placeholders, and edits and deletes it', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await page.keyboard.press('n');
    await text(page).fill('Review {{branch}} and ${{ secrets.KEY }}');
    await page.getByRole('button', { name: 'Save as template' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('template-name');
    await page.getByLabel('Template name').fill('Review');
    await audit(page, 'the dialog that saves a template');
    await page.keyboard.press('Enter');
    await page.getByLabel('branch', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Edit template');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.keyboard.press('Escape');

    await page.reload();
    await isLive(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Use template: Review');
    await page.keyboard.press('Enter');
    await recipient(page).fill('worker-1');
    await recipient(page).press('Control+Enter');
    await page.getByText('Enter a value for “branch”.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('placeholder-0');
    await audit(page, 'the dialog with a missing value');
    await page.getByLabel('branch', { exact: true }).fill('{{main}}');
    await send(page).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await tasksOf(fixture)).map(({ content }) => content)).toEqual(['Review {{main}} and ${{ secrets.KEY }}']);

    await page.keyboard.press('n');
    await text(page).fill('My own words');
    await page.getByLabel('Template', { exact: true }).selectOption('Review');
    await page.getByRole('button', { name: 'Restore my text' }).click();
    expect(await text(page).inputValue()).toBe('My own words');
    await page.getByLabel('Template', { exact: true }).selectOption('Review');
    await text(page).fill('Review {{branch}} for {{reason}}');
    await page.getByRole('button', { name: 'Edit template' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByLabel('reason', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit template' }).click();
    await page.getByRole('button', { name: 'Delete template' }).click();
    await page.getByLabel('Template', { exact: true }).waitFor({ state: 'detached' });
  });
});

function text(page: Page) {
  return page.getByRole('dialog').getByRole('textbox', { name: 'Task', exact: true });
}

function recipient(page: Page) {
  return page.getByRole('dialog').getByLabel('To', { exact: true });
}

function send(page: Page) {
  return page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true });
}

async function tasksOf({ hub, userToken }: SignedIn): Promise<Record<string, unknown>[]> {
  return listOf((await restClient(hub.url, userToken).get('/api/tasks')).body, 'tasks');
}
