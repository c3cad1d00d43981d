import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browser, isLive, signedIn } from './fixture.ts';

const MOST_STOPS = 14;

/** The main action of each page: what users open it for. */
const MAIN_ACTS = [
  ['/', 'Send a task'],
  ['/agents', 'Connect an agent'],
  ['/agents/worker-1', 'Send a task'],
  ['/tasks', 'Send a task'],
  ['/tasks/:task_id', 'Answer…'],
  ['/messages?of=worker-1', 'Compose'],
  ['/networks', 'New network'],
  ['/networks/:network_id', 'Edit'],
  ['/tokens', 'New token'],
  ['/connect', 'Token name'],
  ['/profile', 'Display name'],
  ['/admin', 'Users'],
] as const;

describe.skipIf(browser === undefined)('the keyboard', () => {
  test('reaches the main action of every page in under 15 stops', async () => {
    const { page, agent, networkId } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'working' });
    const { task_id } = await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall' });
    for (let n = 0; n < 3; n += 1) await agent.call('send_message', { alias: 'ada', message: `Question ${n}` });
    for (const [path, act] of MAIN_ACTS) {
      await page.goto(path.replace(':task_id', String(task_id)).replace(':network_id', networkId));
      await isLive(page);
      await page.waitForFunction(() => document.querySelector('main .skeleton') === null);
      expect.soft(await stopsOf(page), `${path}: ${act}`).toContain(act);
    }
  });

  test('skips the conversations and the log of the messages page', async () => {
    const { page } = await signedIn();
    await page.goto('/messages?of=worker-1');
    await page.getByRole('link', { name: 'Compose' }).press('Enter');
    await page.keyboard.type('Hello');
    await expect.poll(() => page.getByRole('textbox', { name: 'Task', exact: true }).inputValue()).toBe('Hello');
  });
});

/** The names of the first controls that Tab reaches. */
async function stopsOf(page: Page): Promise<string[]> {
  const names: string[] = [];
  for (let stop = 1; stop <= MOST_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    names.push(await page.evaluate(nameOfFocused));
  }
  return names;
}

/** Evaluated in the page. */
function nameOfFocused(): string {
  const control = document.activeElement;
  const label =
    control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement ? control.labels?.[0] : null;
  return (control?.getAttribute('aria-label') ?? (label ?? control)?.textContent ?? '').trim();
}
