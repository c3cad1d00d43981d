import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { listOf, textOf } from '../../support/json.ts';
import { browser, counted, goTo, searchOf, signedIn, taskRow } from '../fixture.ts';

test.skipIf(browser === undefined)('a long sender is shortened before the recipient', async () => {
  const { page, agent } = await signedIn();
  const from_session = 'release-manager-with-a-name-that-does-not-fit-into-its-column';
  await agent.call('send_task', { alias: 'deployer-eu-2', task: 'Deploy it', from_session });
  for (const path of ['/tasks?status=delivered', '/tasks', '/search?text=Deploy'])
    for (const width of [375, 800, 1_100, 1_280, 1_600]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(path);
      const name = page.locator('.route-name', { hasText: 'deployer-eu-2' }).first();
      await name.waitFor();
      const [shown, whole] = await name.evaluate((each) => [each.clientWidth, each.scrollWidth]);
      expect([path, width, shown]).toEqual([path, width, whole]);
    }
});

describe.skipIf(browser === undefined)('tasks in the console', () => {
  test('update live together with the counts', async () => {
    const { page, agent } = await signedIn();
    await goTo(page, 'Tasks');
    await page.getByText('No tasks yet').waitFor();
    const sent = await agent.call('send_task', {
      alias: 'worker-1',
      task: 'Paint the wall',
      from_session: 'boss',
      priority: 'high',
    });
    await taskRow(page, 'Paint the wall', 'Delivered')
      .filter({ hasText: 'boss' })
      .filter({ hasText: 'worker-1' })
      .filter({ hasText: 'High' })
      .waitFor();
    await counted(page, 'Tasks', 'Delivered', 1);
    await agent.call('send_ack', { task_id: textOf(sent, 'task_id') });
    await taskRow(page, 'Paint the wall', 'Running').waitFor();
    await agent.call('send_reply', { alias: 'boss', text: 'done', in_reply_to: textOf(sent, 'task_id') });
    await taskRow(page, 'Paint the wall', 'Replied').waitFor();
    await counted(page, 'Tasks', 'Replied', 1);
    await counted(page, 'Tasks', 'Running', 0);
  });

  test('are cancelled with a reason and retried as another attempt', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall', from_session: 'boss' });
    await openTask(page, 'Paint the wall');
    await page.getByText('No agent has ever reported as worker-1.').waitFor();
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByRole('dialog').getByText('Paint the wall').waitFor();
    await page.getByRole('dialog').getByText('worker-1').waitFor();
    await page.getByLabel('Reason').fill('wrong wall');
    await page.getByLabel('Reason').press('Control+Enter');
    await page.getByRole('group', { name: 'Result' }).getByText('wrong wall').waitFor();
    expect(await page.getByRole('button', { name: /Answer|Settle/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('region', { name: 'Attempts' }).getByText('Attempt 2').waitFor();
    await page.getByText('No result yet.').waitFor();
    await page.getByRole('region', { name: 'Result of attempt 1: Cancelled' }).getByText('wrong wall').waitFor();
    await expect.poll(() => actors(page)).toEqual(['by boss', 'by ada', 'by ada']);
  });

  test('are reassigned and finished by a user', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await agent.call('report_status', { resume_id: 'r2', alias: 'worker-2', status: 'idle' });
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall', from_session: 'boss' });
    await openTask(page, 'Paint the wall');
    await page.getByRole('button', { name: 'Reassign' }).click();
    await page.getByRole('button', { name: 'Reassign' }).last().click();
    await page.getByText('Enter an agent alias.').waitFor();
    await page.getByRole('dialog').getByText('Paint the wall').waitFor();
    await page.getByRole('dialog').getByText('worker-1').waitFor();
    const known = page.locator('#reassign-alias-known option');
    expect(
      await known.evaluateAll((all) => all.map((each) => [each.getAttribute('value'), each.getAttribute('label')])),
    ).toEqual([['worker-2', 'Idle · 0 pending messages']]);
    await page.getByLabel('New agent').fill('worker-9');
    await page.getByRole('button', { name: 'Reassign to a new name' }).waitFor();
    await page.getByText('No agent has this name yet.').waitFor();
    await page.getByLabel('New agent').fill('worker-2');
    await page.getByText('No agent has this name yet.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reassign' }).last().click();
    await page.getByRole('region', { name: 'Timeline' }).getByText('worker-1 → worker-2').waitFor();
    await page.getByText('worker-2 is idle.').waitFor();
    await page.getByRole('button', { name: 'Settle…' }).click();
    await page.getByText('This ends the task. The result goes to its sender, boss.').waitFor();
    await page.getByRole('dialog').getByLabel('Result').fill('I painted it myself');
    await page.getByRole('radio', { name: 'Failed' }).check();
    await page.getByRole('button', { name: 'Settle task' }).click();
    await page.getByRole('group', { name: 'Result' }).getByText('I painted it myself').waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.getByRole('button', { name: 'Try another agent' }).click();
    await page.getByLabel('New agent').fill('worker-3');
    await page.getByRole('button', { name: 'Retry under a new name' }).click();
    await page.getByText('Sent again to worker-3. No agent has ever reported as worker-3.').waitFor();
    await page.getByRole('region', { name: 'Timeline' }).getByText('attempt 3, worker-2 → worker-3').waitFor();
  });

  test('show one timeline with milliseconds, the result first once settled, and attempts side by side', async () => {
    const { page, agent } = await signedIn();
    const { task_id } = await agent.call('send_task', {
      alias: 'worker-1',
      task: 'Paint the wall',
      from_session: 'boss',
    });
    await openTask(page, 'Paint the wall');
    const titles = page.locator('.text-block h2');
    await expect.poll(() => titles.allTextContents()).toEqual(['Task', 'Result']);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('not yet').nth(2).waitFor();
    await agent.call('send_ack', { task_id, from_session: 'worker-1' });
    await agent.call('send_reply', {
      alias: 'boss',
      text: 'no paint',
      in_reply_to: task_id,
      from_session: 'worker-1',
      status: 'failed',
    });
    await expect.poll(() => titles.allTextContents()).toEqual(['Result', 'Task']);
    for (const step of ['Delivered', 'Acknowledged', 'Started', 'Failed'])
      expect(
        await timeline.getByRole('listitem').filter({ hasText: step }).getByRole('time').getAttribute('title'),
      ).toMatch(/\d\d:\d\d:\d\d\.\d{3}/);
    await page.getByText('Read the result, then retry the task.').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await agent.call('send_reply', { alias: 'boss', text: 'painted', in_reply_to: task_id, from_session: 'worker-1' });
    const attempts = page.locator('.attempt-column');
    await attempts.filter({ hasText: 'Attempt 2' }).filter({ hasText: 'painted' }).waitFor();
    await attempts.filter({ hasText: 'Attempt 1' }).filter({ hasText: 'no paint' }).waitFor();
    const [one, other] = await Promise.all([attempts.nth(0).boundingBox(), attempts.nth(1).boundingBox()]);
    expect([one?.y, (one?.x ?? 0) + (one?.width ?? 0) <= (other?.x ?? 0)]).toEqual([other?.y, true]);
    await timeline.getByRole('heading', { name: 'Attempt 2' }).waitFor();
    await expect.poll(() => titles.first().textContent()).toBe('Result');
  });

  test('show all attempts in the width of the page, newest first', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 1440, height: 900 } });
    const { task_id } = await agent.call('send_task', { alias: 'worker-1', task: 'Paint it', from_session: 'boss' });
    for (let n = 1; n <= 3; n += 1) {
      await agent.call('cancel_task', { task_id });
      await agent.call('retry_task', { task_id });
    }
    await page.goto(`/tasks/${task_id}`);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    const numbers = () => attempts.locator('.attempt-head strong').allTextContents();
    await expect.poll(numbers).toEqual(['Attempt 4', 'Attempt 3', 'Attempt 2', 'Attempt 1']);
    expect(await attempts.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  test('show the artifacts of their completion, and link their sender', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'boss', alias: 'boss', status: 'idle' });
    const { task_id } = await agent.call('send_task', { alias: 'worker-1', task: 'Build', from_session: 'boss' });
    const artifacts = ['https://ci.example/build/7', 'dist/app.js'];
    await agent.call('report_completion', { alias: 'worker-1', task: task_id, result: 'Built', artifacts });
    await agent.call('report_completion', { alias: 'worker-1', task: 'Other', result: 'x', artifacts: ['other.txt'] });
    await page.goto(`/tasks/${task_id}`);
    await page.getByRole('link', { name: 'https://ci.example/build/7' }).waitFor();
    await page.getByText('dist/app.js').waitFor();
    expect(await page.getByText('other.txt').count()).toBe(0);
    await page.getByRole('link', { name: 'boss' }).click();
    await page.waitForURL('**/agents/boss');
  });

  test('say what to do, with the button to do it', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker 1', status: 'idle' });
    await agent.call('send_task', { alias: 'worker 1', task: 'Paint the wall', from_session: 'boss' });
    await openTask(page, 'Paint the wall');
    const why = page.getByRole('region', { name: 'Why is it in this state?' });
    await why.getByText('Nothing was listening when it arrived. Start a worker, or reassign the task.').waitFor();
    await why.getByText("agenthub work --alias 'worker 1' -- claude -p").waitFor();
    await why.locator('.button-primary').getByText('Reassign').waitFor();
    const [message] = listOf(await agent.call('get_inbox', { alias: 'worker 1' }), 'messages');
    await agent.call('ack_inbox', { alias: 'worker 1', message_id: textOf(message ?? {}, 'id') });
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker 1', status: 'waiting_input' });
    await why.getByText('Answer the agent so that it can continue.').waitFor();
    await why.locator('.button-primary').click();
    await page.getByRole('dialog', { name: 'Answer worker 1' }).waitFor();
  });

  test('are changed in bulk', async () => {
    const { page, agent } = await signedIn();
    await goTo(page, 'Tasks');
    for (let n = 1; n <= 5; n += 1) await agent.call('send_task', { alias: 'worker-1', task: `Chore ${n}` });
    await taskRow(page, 'Chore 5').waitFor();
    await page.getByLabel('Select: Chore 1').check();
    await page.getByText('1 selected').waitFor();
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Reassign 5' }).click();
    await page.getByRole('dialog').getByText('Chore').nth(2).waitFor();
    await page.getByRole('dialog').getByText('and 2 more').waitFor();
    await page.getByLabel('New agent').fill('worker-2');
    await page.getByRole('dialog').getByRole('button', { name: 'Reassign to a new name' }).click();
    await page.getByText('Reassigned: 5 tasks.').first().waitFor();
    await expect.poll(() => taskRow(page, 'worker-2').count()).toBe(5);
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Cancel 5' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 5' }).click();
    await expect.poll(() => taskRow(page, 'Chore', 'Cancelled').count()).toBe(5);
    await page.getByLabel('Select: Chore 2').check();
    await page.getByLabel('Select: Chore 3').check();
    await page.getByRole('button', { name: 'Retry 2' }).click();
    await expect.poll(() => taskRow(page, 'Chore', 'Delivered').count()).toBe(2);
    await counted(page, 'Tasks', 'Cancelled', 3);
    await openTask(page, 'Chore 2');
    await expect.poll(async () => (await actors(page)).slice(1)).toEqual(['by ada', 'by ada', 'by ada']);
  });

  test('are changed in bulk beyond the visible rows, with rejected tasks listed', async () => {
    const failures: string[] = [];
    const { page, agent } = await signedIn({ failures });
    await Promise.all(
      Array.from({ length: 70 }, (_, n) => agent.call('send_task', { alias: 'worker-1', task: `Chore ${n}` })),
    );
    await agent.call('send_task', { alias: 'worker-2', task: 'Keep me' });
    // The agent finishes two tasks before their cancel request arrives. The `times` option is not used, because a
    // browser that stops intercepting requests releases pending ones.
    let late = 2;
    await page.route('**/cancel', async (route) => {
      if (late-- > 0) {
        const { pathname } = new URL(route.request().url());
        failures.push(`400 ${pathname}`);
        await agent.call('send_reply', {
          alias: 'boss',
          text: 'done',
          in_reply_to: pathname.split('/').at(-2),
          from_session: 'worker-1',
        });
      }
      await route.continue();
    });
    await page.goto('/tasks?to=worker-1');
    await page.getByLabel('Select all shown').check();
    await page.getByText('60 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 70 matching' }).click();
    await page.getByText('70 selected').waitFor();
    await page.getByRole('button', { name: 'Cancel 70' }).click();
    await page.getByRole('dialog', { name: 'Cancel 70 tasks?' }).getByRole('button', { name: 'Cancel 70' }).click();
    await page.getByText('Cancelled: 68 tasks. Rejected: 2 tasks.').first().waitFor();
    expect(
      await page.getByRole('list', { name: 'Rejected: 2 tasks.' }).getByRole('link', { name: 'Chore' }).count(),
    ).toBe(2);
    await page.getByRole('button', { name: 'Select these 2' }).click();
    await page.getByText('2 selected').waitFor();
    await goTo(page, 'Tasks');
    await counted(page, 'Tasks', 'Cancelled', 68);
    await counted(page, 'Tasks', 'Delivered', 1);
  });

  test('that wait show the reason in every row, without a request per row', async () => {
    const { page, agent } = await signedIn();
    // The overview requests the reason for the task that has waited longest.
    await goTo(page, 'Tasks');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    for (const alias of ['worker-1', 'worker-1', 'nobody'])
      await agent.call('send_task', { alias, task: `Paint the wall of ${alias}` });
    await taskRow(page, "worker-1 is blocked. 2 messages are waiting in the agent's inbox. Never fetched.")
      .nth(1)
      .waitFor();
    await taskRow(page, 'No agent has ever reported as nobody.').waitFor();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await taskRow(page, 'worker-1 is idle.').nth(1).waitFor();
    await page.getByRole('link', { name: 'Board' }).click();
    await page.getByRole('region', { name: 'Delivered' }).getByText('worker-1 is idle.').nth(1).waitFor();
    expect(requested.filter((path) => path.startsWith('/api/tasks/'))).toEqual([]);
    await goTo(page, 'Overview');
    await page
      .getByRole('region', { name: 'Oldest waiting tasks' })
      .getByText('No agent has ever reported as nobody.')
      .waitFor();
    await expect.poll(() => requested.filter((path) => path.endsWith('/why')).length).toBe(1);
  });

  test('are filtered by all fields through the address', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', {
      alias: 'worker-1',
      task: 'Find the needle',
      priority: 'high',
      from_session: 'boss',
    });
    await agent.call('send_task', { alias: 'worker-2', task: 'Stack the hay', priority: 'low', from_session: 'clerk' });
    await goTo(page, 'Tasks');
    await taskRow(page, 'hay').waitFor();
    await page.getByRole('searchbox', { name: 'Search tasks' }).fill('NEEDLE');
    await taskRow(page, 'hay').waitFor({ state: 'detached' });
    await expect.poll(() => searchOf(page)).toBe('?text=NEEDLE');
    await page.getByText('1 task matches').waitFor();
    await agent.call('send_task', { alias: 'worker-1', task: 'Thread the needle' });
    await page.getByText('2 tasks match').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByLabel('Priority').selectOption('low');
    await taskRow(page, 'needle').waitFor({ state: 'detached' });
    await page.getByLabel('From').fill('clerk');
    await page.getByLabel('From').press('Enter');
    await page.getByLabel('Sent').selectOption('under-1h');
    await expect.poll(() => searchOf(page)).toBe('?priority=low&from=clerk&age=under-1h');
    await taskRow(page, 'hay').waitFor();
    await page.reload();
    await taskRow(page, 'hay').waitFor();
    expect(await page.getByLabel('Priority').inputValue()).toBe('low');
    await page.getByRole('navigation', { name: 'Tasks by status' }).getByRole('link', { name: 'Failed' }).click();
    await page.getByText('No results for these filters').waitFor();
    await page.goBack();
    await taskRow(page, 'hay').waitFor();
  });

  test('appear on a board and move between columns', async () => {
    const { page, agent } = await signedIn();
    const sent = await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall' });
    await goTo(page, 'Tasks');
    await page.getByRole('link', { name: 'Board' }).click();
    expect(searchOf(page)).toBe('?view=board');
    await page.getByRole('region', { name: 'Delivered' }).getByRole('link', { name: 'Paint the wall' }).waitFor();
    await agent.call('send_reply', {
      alias: 'boss',
      text: 'no',
      status: 'failed',
      in_reply_to: textOf(sent, 'task_id'),
    });
    await page.getByRole('region', { name: 'Failed' }).getByRole('link', { name: 'Paint the wall' }).waitFor();
    await expect
      .poll(() => page.getByRole('region', { name: 'Delivered' }).getByRole('link', { name: 'Paint' }).count())
      .toBe(0);
  });

  test('that do not exist show an error', async () => {
    const { page } = await signedIn({ failures: ['404 /api/tasks/task_none', '404 /api/tasks/task_none/why'] });
    await page.goto('/tasks/task_none');
    await page.getByText('Task not found').waitFor();
  });
});

/** The actor of each transition of the open task, first to last. */
function actors(page: Page): Promise<string[]> {
  return page.getByRole('region', { name: 'Timeline' }).getByText(/^by /).allTextContents();
}

async function openTask(page: Page, content: string): Promise<void> {
  await goTo(page, 'Tasks');
  await taskRow(page, content).getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: content }).waitFor();
}
