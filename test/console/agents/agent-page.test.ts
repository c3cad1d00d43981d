import { describe, expect, test } from 'vitest';
import { browser, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the page of an agent', () => {
  test('shows neither the last task nor its progress while the agent is idle', async () => {
    const { page, agent } = await signedIn();
    const report = { resume_id: 'r1', alias: 'worker-1', task: 'Paint the wall', progress: 99 };
    await agent.call('report_status', { ...report, status: 'working' });
    await page.goto('/agents/worker-1');
    await page.getByRole('progressbar', { name: 'worker-1' }).waitFor();
    await agent.call('report_status', { ...report, status: 'idle' });
    await page.getByText('Idle').first().waitFor();
    await expect.poll(() => page.getByRole('progressbar', { name: 'worker-1' }).count()).toBe(0);
    expect(await page.locator('.agent-work').count()).toBe(0);
  });

  test('shows what the agent asks until it is answered', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_message', { alias: 'ada', message: 'Which **color**?', from_session: 'worker-1' });
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'waiting_input' });
    await page.goto('/agents/worker-1');
    const question = page.locator('.task-head').getByRole('group', { name: 'Question' });
    await question.getByText('Which color?').waitFor();
    await page.getByRole('button', { name: 'Answer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Blue');
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await question.waitFor({ state: 'detached' });
  });

  test('shows the start of a long completion, and all of it on request', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    const result = Array.from({ length: 20 }, (_, n) => `Line ${n + 1}.`).join('\n\n');
    await agent.call('report_completion', { alias: 'worker-1', task: 'Paint the wall', result });
    await page.goto('/agents/worker-1');
    const completions = page.getByRole('region', { name: 'Completions' });
    await completions.getByText('Line 1.').waitFor();
    expect(await completions.getByText('Line 20.').count()).toBe(0);
    await completions.getByRole('button', { name: /Show all/ }).click();
    await completions.getByText('Line 20.').waitFor();
  });
});
