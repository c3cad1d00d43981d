import { describe, expect, test } from 'vitest';
import { listOf, textOf } from '../../support/json.ts';
import { browser, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the page of a task whose agent works on another one', () => {
  test('names the other task, and shows neither its progress nor its output', async () => {
    const { page, agent } = await signedIn();
    for (const task of ['Paint the wall', 'Sweep the floor'])
      await agent.call('send_task', { alias: 'builder', task, from_session: 'ada' });
    const report = { resume_id: 'b', alias: 'builder', status: 'working', progress: 40, output: 'Half of it is done' };
    await agent.call('report_status', report);
    const mail = listOf(await agent.call('get_inbox', { alias: 'builder' }), 'messages');
    const [first, second] = mail.map((message) => ({ alias: 'builder', message_id: textOf(message, 'id') }));
    await agent.call('ack_inbox', { ...first });
    await page.goto(`/tasks/${textOf(mail[0] ?? {}, 'task_id')}`);
    const latest = page.getByRole('region', { name: 'Latest output' });
    await latest.getByText('Half of it is done').waitFor();
    await page.getByText('builder is working.').waitFor();
    const started = Math.floor(Date.now() / 1000);
    await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(started); // the resolution of `started_at`
    await agent.call('ack_inbox', { ...second });
    await page.getByText('builder works on another task: Sweep the floor.').waitFor();
    await latest.waitFor({ state: 'detached' });
  });
});
