import { describe, expect, test } from 'vitest';
import { restClient } from '../support/http/rest-client.ts';
import { listOf, textOf } from '../support/json.ts';
import { reportMany } from '../support/many-agents.ts';
import { newCli, outputOf } from '../support/process/command-line.ts';
import { agentRow, browser, counted, goTo, searchOf, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('agents in the console', () => {
  test('appear live with their current task and link to their page', async () => {
    const { page, agent } = await signedIn();
    await goTo(page, 'Agents');
    await page.getByText('No agents yet').waitFor();
    await agent.call('report_status', {
      resume_id: 'r1',
      alias: 'worker-1',
      status: 'working',
      task: 'Sweep the floor',
      progress: 40,
      model: 'm-4',
      hostname: 'mars',
    });
    const row = agentRow(page, 'worker-1');
    await row
      .filter({ hasText: 'Working' })
      .filter({ hasText: 'Sweep the floor' })
      .filter({ hasText: '40%' })
      .filter({ hasText: 'm-4' })
      .filter({ hasText: 'mars' })
      .waitFor();
    await row.getByRole('link', { name: 'worker-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'worker-1' }).waitFor();
  });

  test('disappear when the operator forgets them', async () => {
    const { page, agent, hub, networkId } = await signedIn();
    for (const alias of ['old', 'new']) await agent.call('report_status', { resume_id: alias, alias, status: 'idle' });
    await goTo(page, 'Agents');
    await agentRow(page, 'old').waitFor();
    await outputOf(newCli('binary'), ['agent', 'forget', 'old', '--network', networkId, '--data', hub.data, '--yes']);
    await agentRow(page, 'old').waitFor({ state: 'detached' });
    await agentRow(page, 'new').waitFor();
  });

  test('are filtered by status, server and text through the address, and the back button undoes it', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'busy-bee', status: 'working', server: 'mars' });
    await agent.call('report_status', { resume_id: 'r2', alias: 'lazy-dog', status: 'idle', server: 'venus' });
    await goTo(page, 'Agents');
    await agentRow(page, 'lazy-dog').waitFor();
    await page.getByRole('navigation', { name: 'Agents by status' }).getByRole('link', { name: 'Working' }).click();
    await agentRow(page, 'lazy-dog').waitFor({ state: 'detached' });
    expect(searchOf(page)).toBe('?status=working');
    await page.getByLabel('Server').selectOption('venus');
    await page.getByText('No results for these filters').waitFor();
    expect(searchOf(page)).toBe('?status=working&server=venus');
    await page.goBack();
    await agentRow(page, 'busy-bee').waitFor();
    await page.reload();
    await agentRow(page, 'busy-bee').waitFor();
    expect(await agentRow(page, 'lazy-dog').count()).toBe(0);
    await page.goBack();
    await agentRow(page, 'lazy-dog').waitFor();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('bee');
    await agentRow(page, 'lazy-dog').waitFor({ state: 'detached' });
    await expect.poll(() => searchOf(page)).toBe('?text=bee');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await agentRow(page, 'lazy-dog').waitFor();
  });

  test('keep their position under the pointer and move when it leaves', async () => {
    const { page, agent } = await signedIn();
    for (const alias of ['ant', 'bee', 'cat'])
      await agent.call('report_status', { resume_id: alias, alias, status: 'working' });
    await page.goto('/agents?status=working');
    await agentRow(page, 'bee').hover();
    await agent.call('report_status', { resume_id: 'bee', alias: 'bee', status: 'idle' });
    await agentRow(page, 'bee').filter({ hasText: 'Idle' }).waitFor();
    await counted(page, 'Agents', 'Working', 2);
    expect(await agentRow(page, 'bee').count()).toBe(1);
    await page.mouse.move(5, 400);
    await agentRow(page, 'bee').waitFor({ state: 'detached' });
  });

  test('of a very large network are counted by the hub and loaded in part, the rest on request', async () => {
    const { page, hub, agent, networkToken } = await signedIn();
    await reportMany(hub.url, networkToken, 2_500);
    await page.goto('/agents?text=agent-0024');
    await page
      .getByRole('navigation', { name: 'Agents by status' })
      .getByRole('link', { name: /^2,?500 Idle$/ })
      .waitFor();
    await page.getByText('No results for these filters').waitFor();
    await page.getByRole('button', { name: 'Load more agents (2000 of 2500 loaded)' }).click();
    await agentRow(page, 'agent-002400').waitFor();
    await page.getByRole('button', { name: 'Load more agents' }).waitFor({ state: 'detached' });
    await agent.call('report_status', { resume_id: 'r2400', alias: 'agent-002400', status: 'working' });
    await counted(page, 'Agents', 'Working', 1);
  });

  test('receive a task from their page, which shows delivery, start and reply', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: '工人/1', status: 'idle', output: 'ready\n> ' });
    await goTo(page, 'Agents');
    await page.getByRole('link', { name: '工人/1' }).click();
    await page.getByRole('group', { name: 'Latest output' }).getByText('ready').waitFor();
    await page.getByText('No active tasks.').waitFor();
    await page.getByRole('button', { name: 'Send a task' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Count the chairs');
    await page.getByRole('radio', { name: 'High' }).check();
    await page.getByLabel('Expires after').selectOption('15m');
    await page.getByLabel('Context (optional)').fill('the folding ones too');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('status').getByText('Sent to 工人/1.').waitFor();
    const live = page.getByRole('region', { name: 'Active tasks' });
    await live
      .getByRole('listitem')
      .filter({ hasText: 'Count the chairs' })
      .filter({ hasText: 'Delivered' })
      .filter({ hasText: 'High' })
      .waitFor();
    await page.getByRole('region', { name: 'Inbox' }).getByText('Count the chairs').waitFor();

    const [arrived] = listOf(await agent.call('get_inbox', { alias: '工人/1' }), 'messages');
    expect(arrived).toMatchObject({ priority: 'high', context: 'the folding ones too' });
    const message_id = textOf(arrived ?? {}, 'id');
    await agent.call('ack_inbox', { alias: '工人/1', message_id });
    await live.getByText('Running').waitFor();
    await page.getByText('The inbox is empty.').waitFor();
    await live.getByRole('link', { name: 'Count the chairs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Count the chairs' }).waitFor();
    await page.getByText('工人/1 is idle.').waitFor();
    await agent.call('send_reply', {
      alias: 'ada',
      text: 'Twelve chairs',
      in_reply_to: message_id,
      from_session: '工人/1',
    });
    await page.getByRole('group', { name: 'Result' }).getByText('Twelve chairs').waitFor();
    for (const step of ['Delivered', 'Fetched', 'Acknowledged', 'Started', 'Replied']) {
      await page
        .getByRole('region', { name: 'Timeline' })
        .locator('.step[data-state="reached"]')
        .filter({ hasText: step })
        .waitFor();
    }
    await page.goBack();
    await page.getByRole('region', { name: 'Settled tasks' }).getByText('Count the chairs').waitFor();
    await page.getByText('No active tasks.').waitFor();
  });

  test('receive a message, which waits in their inbox', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.goto('/agents/worker-1');
    await page.getByRole('button', { name: 'Send a message' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('The lift is broken');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .getByRole('region', { name: 'Inbox' })
      .getByRole('listitem')
      .filter({ hasText: 'The lift is broken' })
      .filter({ hasText: 'ada' })
      .waitFor();
    const [message] = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    expect(message).toMatchObject({ type: 'message', content: 'The lift is broken' });
  });

  test('that ask something are answered on their page, about their task, and count as answered', async () => {
    const { page, agent } = await signedIn();
    const sent = await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall', from_session: 'ada' });
    await agent.call('send_ack', { task_id: sent['task_id'], from_session: 'worker-1' });
    const report = { resume_id: 'r1', alias: 'worker-1', task: 'Paint the wall' };
    await agent.call('report_status', { ...report, status: 'working' });
    await page.goto('/agents/worker-1');
    await page.getByRole('button', { name: 'Send a task' }).waitFor();
    expect(await page.getByRole('button', { name: 'Answer…' }).count()).toBe(0);
    await agent.call('report_status', { ...report, status: 'waiting_input', output: 'Which color?' });
    await page.getByRole('button', { name: 'Answer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer worker-1' });
    await dialog.getByText('Which color?').waitFor();
    await dialog.getByLabel('Your answer').fill('Blue');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sent to worker-1.').waitFor();
    const messages = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    const answer = { content: '> Which color?\n\nBlue', in_reply_to: sent['task_id'] };
    expect(messages.filter(({ type }) => type === 'message')).toMatchObject([answer]);
    await goTo(page, 'Overview');
    await page.getByText('Answered · Needs input: Which color?').waitFor();
  });

  test('show what they ask in an answer that was opened before the list of agents was loaded', async () => {
    const { page, agent } = await signedIn();
    const report = { resume_id: 'r1', alias: 'worker-1', status: 'waiting_input', output: 'Which color?' };
    await agent.call('report_status', report);
    const listed = Promise.withResolvers<void>();
    await page.route('**/api/status*', (route) => listed.promise.then(() => route.continue()));
    await page.goto('/agents/worker-1');
    await page.getByRole('button', { name: 'Answer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer worker-1' });
    await dialog.getByLabel('Your answer').waitFor();
    listed.resolve();
    await dialog.getByText('Which color?').waitFor();
  });

  test('show the first messages of a long inbox, the rest on request, each with its page', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    for (let n = 1; n <= 12; n += 1) await agent.call('send_message', { alias: 'worker-1', message: `Note ${n}` });
    await page.goto('/agents/worker-1');
    const inbox = page.getByRole('region', { name: 'Inbox' });
    await inbox.getByRole('listitem').nth(7).waitFor();
    expect(await inbox.getByRole('listitem').count()).toBe(8);
    await inbox.getByRole('button', { name: 'Show all 12' }).click();
    await inbox.getByRole('listitem').nth(11).waitFor();
    await inbox.getByRole('link', { name: 'Note 1', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Note 1', exact: true }).waitFor();
  });

  test('show their completions and timeline', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.goto('/agents/worker-1');
    await page.getByText('No completions reported yet.').waitFor();
    await agent.call('report_completion', {
      alias: 'worker-1',
      task: 'Wash the car',
      result: 'It shines',
      score: 9,
      duration_minutes: 20,
      artifacts: ['photos/car.png'],
    });
    const completions = page.getByRole('region', { name: 'Completions' });
    await completions.getByText('Wash the car').waitFor();
    await completions.getByText('score 9/10 · took 20 min').waitFor();
    await completions.getByText('Artifacts: photos/car.png').waitFor();
    await page.getByRole('region', { name: 'Timeline' }).getByText('Completion reported').waitFor();
  });

  test('that have never reported can still receive tasks', async () => {
    const { page, hub, userToken } = await signedIn({ failures: ['404 /api/session'] });
    await page.goto('/agents/ghost');
    await page.getByText('No agent has reported as “ghost” yet').waitFor();
    await page.getByRole('button', { name: 'Send a task' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Haunt');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('No agent has reported as ghost yet').waitFor();
    await page.getByRole('region', { name: 'Active tasks' }).getByText('Haunt').waitFor();
    const { body } = await restClient(hub.url, userToken).get('/api/tasks?to_name=ghost');
    expect(listOf(body, 'tasks')).toHaveLength(1);
  });
});
