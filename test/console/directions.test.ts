import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textOf } from '../support/json.ts';
import { browser, isLive, type SignedIn, signedIn } from './fixture.ts';

const [HEBREW, LATIN] = ['בונה', 'builder'];

describe.skipIf(browser === undefined)('a name that is written from right to left', () => {
  test('begins where the others do, on every page', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    const [hebrew, latin] = [await fill(fixture, HEBREW), await fill(fixture, LATIN)];
    await page.goto('/');
    await isLive(page);
    const needs = page.getByRole('region', { name: 'Needs you' });
    await inLine(needs.locator('.row-link'));
    await inLine(needs.locator('.need-reason'));
    await page.goto('/agents');
    await inLine(page.getByRole('rowheader').locator('a'));
    await inLine(page.locator('.cell-task .work-link'));
    await page.goto('/agents?view=figures');
    await inLine(page.getByRole('rowheader').locator('a'));
    await page.goto('/tasks');
    await inLine(page.locator('.cell-content .row-link'));
    await page.goto('/messages');
    await inLine(page.locator('.conversation-name').filter({ hasText: new RegExp(`${HEBREW}|${LATIN}`) }));
    for (const paths of [
      [`/agents/${HEBREW}`, `/agents/${LATIN}`],
      [`/tasks/${hebrew}`, `/tasks/${latin}`],
    ]) {
      const [one, other] = [await startAt(page, paths[0]), await startAt(page, paths[1])];
      expect.soft(Math.abs(one - other), paths.join()).toBeLessThan(1);
    }
  });
});

async function fill({ agent }: SignedIn, alias: string): Promise<string> {
  const task = alias === HEBREW ? 'לצבוע את הקיר' : 'Paint the wall';
  const sent = await agent.call('send_task', { alias, task, from_session: 'ada' });
  await agent.call('send_ack', { task_id: sent['task_id'], from_session: alias });
  const output = alias === HEBREW ? 'באיזה צבע?' : 'Which color?';
  await agent.call('report_status', { resume_id: alias, alias, status: 'waiting_input', task, output });
  return textOf(sent, 'task_id');
}

async function startAt(page: Page, path = ''): Promise<number> {
  await page.goto(path);
  return startOf(page.getByRole('heading', { level: 1 }));
}

/** There are at least two of them, and their texts start at the same place. */
async function inLine(elements: Locator): Promise<void> {
  await elements.nth(1).waitFor();
  const starts = await Promise.all((await elements.all()).map(startOf));
  expect.soft(Math.max(...starts) - Math.min(...starts), String(elements)).toBeLessThan(1);
}

/** Where the text starts, which may be anywhere in its element. */
function startOf(element: Locator): Promise<number> {
  return element.evaluate((shown) => {
    const text = document.createRange();
    text.selectNodeContents(shown);
    return text.getBoundingClientRect().left;
  });
}
