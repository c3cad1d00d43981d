import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { browser, type SignedIn, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('figures', () => {
  test('of an agent and of its network follow their tasks', async () => {
    const { page, agent, networkId } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'bob', status: 'idle' });
    await page.goto('/agents/bob');
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('Longest wait now').waitFor();
    expect(await figures.locator('.stat').first().textContent()).toContain('None');
    await settle(agent, 'bob', 'replied');
    await settle(agent, 'bob', 'failed');
    await settle(agent, 'eve', 'replied');
    await settle(agent, 'eve', 'replied');
    await figures.getByText('1 of 2 failed or expired').waitFor();
    await figures.getByText('50%', { exact: true }).waitFor();
    await figures
      .getByText(/^95% within \d+ms$/)
      .first()
      .waitFor();
    const counted = /^Counted by quarters of an hour: since \w+ \d+, \d+:(00|15|30|45):00, until \w+ \d+, [\d:]+\./;
    await figures.getByText(counted).waitFor();
    await figures.getByRole('radio', { name: 'Last week' }).check();
    await figures.getByText('1 of 2 failed or expired').waitFor();
    expect(searchOf(page)).toBe('?span=week');
    await audit(page, 'the page of an agent');

    await page.goto(`/networks/${networkId}`);
    await figures.getByText('1 of 4 failed or expired').waitFor();
    await figures.getByText('25%', { exact: true }).waitFor();
    await audit(page, 'the page of a network');
    await page.setViewportSize({ width: 375, height: 812 });
    expect(await overhang(page)).toBe(0);
  });
});

async function settle(agent: SignedIn['agent'], alias: string, status: string): Promise<void> {
  const task_id = textOf(
    await agent.call('send_task', {
      alias,
      task: `${status} by ${alias} at ${performance.now()}`,
      from_session: 'ada',
    }),
    'task_id',
  );
  await agent.call('send_ack', { task_id, from_session: alias });
  await agent.call('send_reply', {
    alias: 'ada',
    text: `done ${task_id}`,
    status,
    in_reply_to: task_id,
    from_session: alias,
  });
}
