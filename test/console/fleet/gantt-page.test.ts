import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('what a task led to', () => {
  test('is shown on its page, live, with the time that each task took', async () => {
    const { page, agent } = await signedIn();
    await send(agent, 'ada', 'bob', 'Unrelated');
    const root = await send(agent, 'ada', 'bob', 'Build the house');
    await start(agent, 'bob', root);
    await page.goto(`/tasks/${root}`);
    const section = page.getByRole('region', { name: 'What it led to' });
    await section.getByText('The agent sent no other tasks while it ran this one.').waitFor();
    const child = await send(agent, 'bob', 'eve', 'Paint the wall');
    await section
      .getByRole('listitem')
      .filter({ hasText: 'Paint the wall' })
      .filter({ hasText: 'Delivered' })
      .waitFor();
    await start(agent, 'eve', child);
    const grandchild = await send(agent, 'eve', 'zoe', 'Buy paint');
    await agent.call('send_reply', {
      alias: 'bob',
      text: 'No',
      status: 'failed',
      in_reply_to: child,
      from_session: 'eve',
    });
    await section.getByRole('listitem').filter({ hasText: 'Paint the wall' }).filter({ hasText: 'Failed' }).waitFor();
    await section.getByText('Buy paint').waitFor();
    expect(await section.getByRole('listitem').getByRole('link').allTextContents()).toEqual([
      'Build the house',
      'Paint the wall',
      'Buy paint',
    ]);
    expect(await section.locator('.gantt-row').nth(2).textContent()).toMatch(/waited \d+\w+$/);
    expect(await section.locator('.gantt-row').nth(1).locator('.gantt-bar').count()).toBe(3);
    await audit(page, 'the bars');
    await page.setViewportSize({ width: 375, height: 812 });
    expect(await overhang(page)).toBe(0);
    await section.getByRole('link', { name: 'Buy paint' }).click();
    await page.waitForURL(`**/tasks/${grandchild}`);
    await page.goBack();
    await section.getByRole('link', { name: 'Sequence' }).click();
    await page.getByRole('log').getByRole('listitem').filter({ hasText: 'Buy paint' }).waitFor();
    expect(await page.getByRole('log').getByText('Unrelated').count()).toBe(1); // it is between the same agents
  });
});

async function send(agent: SignedIn['agent'], from_session: string, alias: string, task: string): Promise<string> {
  return textOf(await agent.call('send_task', { alias, task, from_session }), 'task_id');
}

function start(agent: SignedIn['agent'], alias: string, task_id: string) {
  return agent.call('send_ack', { task_id, from_session: alias });
}
