import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../console/routes.ts';
import { textOf } from '../support/json.ts';
import { browser, openMenu, signedIn, type SignedIn } from './scenes.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(browser === undefined)('nothing stands in the way of anybody', () => {
  test.each(['light', 'dark'] as const)('on an empty hub, in %s', async (colorScheme) => {
    const scene = await signedIn({ colorScheme, failures: ['404 /api/session', '404 /api/tasks/none', '404 /api/tasks/none/why'] });
    await lookAtAll(scene, 'none');
  });

  test.each(['light', 'dark'] as const)('on a hub with something in it, in %s', async (colorScheme) => {
    const scene = await signedIn({ colorScheme, failures: ['0 /events'] });
    const done = await fill(scene);
    await lookAtAll(scene, done);
    const { page } = scene;
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
    await audit(page, 'the word that it is sent');
    await page.keyboard.press('?');
    await audit(page, 'the keys');
    await page.setViewportSize({ width: 375, height: 812 });
    for (const path of ['/agents/worker-1', '/messages', `/tasks/${done}`]) await lookAt(page, path);
    await page.route('**/events*', (route) => route.abort());
    await page.goto('/');
    await page.locator('[data-stale="true"]').waitFor();
    await audit(page, 'old data');
  });
});

async function lookAtAll({ page, networkId }: SignedIn, task_id: string): Promise<void> {
  const paths = ROUTES.map(({ path }) => path.replace(':alias', 'worker-1').replace(':task_id', task_id).replace(':network_id', networkId));
  const states = [
    '/tasks?view=board', '/nowhere', '/networks?dialog=join', `/networks/${networkId}?dialog=invite`, `/networks/${networkId}?dialog=delete`, '/tokens?dialog=new',
    '/messages?of=worker-1&kind=reply', '/admin?tab=statistics', '/admin?tab=audit',
  ];
  for (const path of [...paths, ...states]) await lookAt(page, path);
}

async function lookAt(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main :is(h1, .empty)').first().waitFor();
  await page.waitForFunction(() => document.querySelector('main .skeleton') === null);
  await audit(page, path);
}

async function fill({ agent }: SignedIn): Promise<string> {
  const statuses = ['working', 'idle', 'blocked', 'error', 'waiting_input', 'offline'];
  for (const [n, status] of statuses.entries()) {
    await agent.call('report_status', { resume_id: `r${n}`, alias: `worker-${n}`, status, task: 'Sweep the floor', progress: 40, output: 'ready', server: 'mars', model: 'm-4' });
  }
  const task = 'Paint `the` wall\n\n```ts\nconst wall = "as long as a line of code is that no small screen can hold without scrolling";\n```';
  const ids = [];
  for (const priority of ['high', 'normal', 'low', 'high']) ids.push(textOf(await agent.call('send_task', { alias: 'worker-1', task: `${task} ${priority}`, priority, from_session: 'ada' }), 'task_id'));
  const [done = '', failed = '', cancelled = ''] = ids;
  await agent.call('send_reply', { alias: 'ada', text: 'Done', in_reply_to: done, from_session: 'worker-1' });
  await agent.call('send_reply', { alias: 'ada', text: 'No paint', in_reply_to: failed, status: 'failed', from_session: 'worker-1' });
  await agent.call('cancel_task', { task_id: cancelled });
  await agent.call('retry_task', { task_id: failed });
  await agent.call('send_message', { alias: 'worker-1', message: 'Mind the lift' });
  await agent.call('report_completion', { alias: 'worker-1', task: 'Wash', result: 'It shines', score: 9 });
  return done;
}

/** Moving things are measured at rest. */
async function audit(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } = Reflect.get(window, 'axe');
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`));
  });
  expect.soft(found, where).toEqual([]);
}
