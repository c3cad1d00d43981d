import { describe, test } from 'vitest';
import { textOf } from '../support/json.ts';
import { audit, auditAll, auditNarrow } from './accessibility.ts';
import { browser, openMenu, type SignedIn, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('accessibility', () => {
  test('a hub with data has no violations', async () => {
    const fixture = await signedIn();
    await auditAll(fixture, await fill(fixture));
  });

  test('a hub with data has no violations on a narrow screen', async () => {
    const fixture = await signedIn();
    await auditNarrow(fixture, await fill(fixture));
  });

  test('what opens over a page has no violations, and neither has stale data', async () => {
    const fixture = await signedIn({ failures: ['0 /events'] });
    await fill(fixture);
    const { page } = fixture;
    await page.goto('/tasks');
    await page.getByLabel('Select all shown').check();
    await audit(page, 'bulk');
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await audit(page, 'a dialog');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await audit(page, 'the palette');
    await page.keyboard.press('Escape');
    await openMenu(page);
    await audit(page, 'the menu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByRole('dialog').getByLabel('To', { exact: true }).fill('worker-1');
    await page.getByRole('textbox', { name: 'Task' }).fill('Sweep');
    await audit(page, 'the dialog to send');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sent to worker-1.').waitFor();
    await audit(page, 'the toast');
    await page.keyboard.press('?');
    await audit(page, 'the shortcuts');
    await page.route('**/events*', (route) => route.abort());
    await page.goto('/');
    await page.locator('[data-stale="true"]').waitFor();
    await audit(page, 'stale data');
  });
});

async function fill({ agent }: SignedIn): Promise<string> {
  const statuses = ['working', 'idle', 'blocked', 'error', 'waiting_input', 'offline'];
  for (const [n, status] of statuses.entries()) {
    await agent.call('report_status', {
      resume_id: `r${n}`,
      alias: `worker-${n}`,
      status,
      task: 'Sweep the floor',
      progress: 40,
      output: 'ready',
      server: 'mars',
      model: 'm-4',
    });
  }
  const task =
    'Paint `the` wall\n\n```ts\nconst wall = "as long as a line of code is that no small screen can hold without scrolling";\n```';
  const ids = [];
  for (const priority of ['high', 'normal', 'low', 'high'])
    ids.push(
      textOf(
        await agent.call('send_task', {
          alias: 'worker-1',
          task: `${task} ${priority}`,
          priority,
          from_session: 'ada',
        }),
        'task_id',
      ),
    );
  const [done = '', failed = '', cancelled = ''] = ids;
  await agent.call('send_reply', { alias: 'ada', text: 'Done', in_reply_to: done, from_session: 'worker-1' });
  await agent.call('send_reply', {
    alias: 'ada',
    text: 'No paint',
    in_reply_to: failed,
    status: 'failed',
    from_session: 'worker-1',
  });
  await agent.call('cancel_task', { task_id: cancelled });
  await agent.call('retry_task', { task_id: failed });
  await agent.call('send_message', { alias: 'worker-1', message: 'Mind the lift' });
  // Short texts, below short names.
  const { message_id } = await agent.call('send_message', { alias: 'worker-1', message: 'Go', from_session: 'ada' });
  await agent.call('send_message', { alias: 'ada', message: 'ok', from_session: 'worker-1', in_reply_to: message_id });
  const running = await agent.call('send_task', { alias: 'worker-0', task: 'Sweep it', from_session: 'ada' });
  await agent.call('ack_inbox', { alias: 'worker-0', message_id: running['message_id'] });
  await agent.call('report_completion', { alias: 'worker-1', task: 'Wash', result: 'It shines', score: 9 });
  return done;
}
