import { describe, expect, test } from 'vitest';
import { listOf, textOf } from '../../support/json.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the question of an agent about its task', () => {
  test('and its answer are on the page of the task, and answering there settles the need', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    const task_id = await runningTask(fixture);
    await page.goto(`/tasks/${task_id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Started').waitFor();
    await page.getByRole('region', { name: 'Latest output' }).getByText('Painting the wall').waitFor();
    const question_id = await ask(fixture, task_id);
    const question = timeline.getByRole('group', { name: 'Question' });
    await question.getByText('blue').waitFor();
    expect(await question.locator('strong').textContent()).toBe('blue');
    await page.getByText('The agent asked a question. Answer it so that the agent can continue.').waitFor();
    await page
      .getByRole('button', { name: 'Needs you: 1' })
      .or(page.getByRole('link', { name: /Needs you: 1/ }))
      .waitFor();

    await page.getByRole('button', { name: 'Answer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer worker-1' });
    await dialog.getByText('Shall it be').waitFor();
    expect(await dialog.getByText('Painting the wall').count()).toBe(0);
    await dialog.getByLabel('Your answer').fill('Blue it is');
    await dialog.getByLabel('Your answer').press('Control+Enter');
    await timeline.getByRole('group', { name: 'Answer' }).getByText('Blue it is').waitFor();
    expect(await page.getByText('The agent asked a question.').count()).toBe(0);
    const answers = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    expect(answers).toMatchObject([{ content: 'Blue it is', in_reply_to: question_id }]);
    await expect.poll(() => unread(fixture)).toEqual([]);
  });

  test('is what the page of the agent answers', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    const question_id = await ask(fixture, await runningTask(fixture));
    await page.goto('/agents/worker-1');
    await page.getByRole('button', { name: 'Answer…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer worker-1' });
    await dialog.getByText('Shall it be').waitFor();
    await dialog.getByLabel('Your answer').fill('Red');
    await dialog.getByRole('button', { name: 'Send answer' }).click();
    await dialog.waitFor({ state: 'detached' });
    const answers = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    expect(answers).toMatchObject([{ content: 'Red', in_reply_to: question_id }]);
    await expect.poll(() => unread(fixture)).toEqual([]);
    await expect.poll(() => page.getByRole('button', { name: 'Answer…' }).count()).toBe(0);
  });
});

async function runningTask({ agent }: SignedIn): Promise<string> {
  await agent.call('report_status', {
    resume_id: 'r1',
    alias: 'worker-1',
    status: 'working',
    progress: 40,
    output: 'Painting the wall',
  });
  const task = { alias: 'worker-1', task: 'Paint the wall', from_session: 'ada' };
  const task_id = textOf(await agent.call('send_task', task), 'task_id');
  const [message] = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
  await agent.call('ack_inbox', { alias: 'worker-1', message_id: message?.['id'] });
  return task_id;
}

async function ask({ agent }: SignedIn, in_reply_to: string): Promise<string> {
  const question = { alias: 'ada', message: 'Shall it be **blue**?', from_session: 'worker-1', in_reply_to };
  return textOf(await agent.call('send_message', question), 'message_id');
}

async function unread({ agent }: SignedIn) {
  return listOf(await agent.call('get_inbox', { alias: 'ada' }), 'messages');
}
