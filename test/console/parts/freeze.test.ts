import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { McpClient } from '../../support/http/mcp-client.ts';
import { browser, goTo, signedIn, taskRow } from '../fixture.ts';

describe.skipIf(browser === undefined)('a list that holds still', () => {
  test('is held by a resting pointer, but not for more than 20 seconds while the person works in another window', async () => {
    const { page, agent } = await signedIn();
    await page.clock.install();
    await agent.call('send_task', { alias: 'worker-1', task: 'Old chore' });
    await goTo(page, 'Tasks');
    await taskRow(page, 'Old chore').hover();
    await agent.call('send_task', { alias: 'worker-1', task: 'New chore' });
    const button = page.getByRole('button', { name: '1 new task' });
    await button.waitFor();
    await page.clock.runFor(60_000);
    expect(await button.count()).toBe(1);
    await page.evaluate('document.hasFocus = () => false');
    await page.clock.runFor(21_000);
    await taskRow(page, 'New chore').waitFor();
    await page.evaluate('delete document.hasFocus');
    await page.keyboard.press('j');
    await page.clock.runFor(100); // the list looks for the focus a moment after the key
    await agent.call('send_task', { alias: 'worker-1', task: 'Newest chore' });
    const afterAMoment = async () => {
      await page.clock.runFor(200);
      return button.count();
    };
    await expect.poll(afterAMoment).toBe(1);
    await page.clock.runFor(60_000);
    expect(await button.count()).toBe(1);
  });

  test('is free again for good once the pointer has left it', async () => {
    const { page, agent } = await signedIn();
    await page.clock.install();
    await reports(agent, 'tester', 'blocked');
    await need(page, 'tester').hover();
    await page.mouse.move(700, 5);
    await page.clock.runFor(25_000);
    await reports(agent, 'builder', 'waiting_input');
    const afterAMoment = async () => {
      await page.clock.runFor(200);
      return need(page, 'builder').count();
    };
    await expect.poll(afterAMoment).toBe(1);
    expect(await page.getByRole('button', { name: '1 new item' }).count()).toBe(0);
  });

  test('keeps the focused row in place while the palette shows its actions, and is released after that', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await need(page, 'tester').waitFor();
    await page.mouse.move(0, 0);
    await page.keyboard.press('j');
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').waitFor();
    await reports(agent, 'builder', 'waiting_input');
    const button = page.getByRole('button', { name: '1 new item', includeHidden: true });
    await button.waitFor();
    await page.keyboard.press('Escape');
    await need(page, 'tester').locator('.row-link:focus').waitFor();
    expect(await button.count()).toBe(1);
    await page.evaluate('document.activeElement.blur()');
    await need(page, 'builder').waitFor();
    expect(await button.count()).toBe(0);
  });

  test('is held by the focus on a row that was handled, until the keyboard leaves the list', async () => {
    const { page, agent } = await signedIn();
    await page.clock.install();
    for (const alias of ['amy', 'bob']) await reports(agent, alias, 'blocked');
    for (const alias of ['amy', 'bob']) await shown(page, need(page, alias));
    await page.mouse.move(0, 0);
    await need(page, 'amy').locator('.row-link').focus();
    await page.clock.runFor(100); // the list looks for the focus a moment after it has moved
    await page.keyboard.press('d');
    await shown(page, need(page, 'amy').and(page.locator('[data-settled="true"]')));
    await reports(agent, 'cy', 'error');
    await shown(page, page.getByRole('button', { name: '1 new item' }));
    const before = await page.locator('.need .row-link').allTextContents();
    await page.clock.runFor(30_000);
    expect(await page.locator('.need .row-link').allTextContents()).toEqual(before);
    expect(await need(page, 'amy').locator('.row-link:focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    await shown(page, need(page, 'cy'));
    expect(await need(page, 'amy').count()).toBe(0);
  });

  test('is released some seconds after all its rows were handled, and the focus of none of them moves to another', async () => {
    const { page, agent } = await signedIn();
    await page.clock.install();
    await reports(agent, 'amy', 'blocked');
    await shown(page, need(page, 'amy'));
    await page.mouse.move(0, 0);
    await page.keyboard.press('j');
    await shown(page, need(page, 'amy').locator('.row-link:focus'));
    await page.keyboard.press('d');
    // However often the list changes meanwhile.
    let n = 0;
    const isReleased = async () => {
      await reports(agent, 'cy', n++ % 2 === 0 ? 'waiting_input' : 'error');
      await page.clock.runFor(200);
      return need(page, 'cy').count();
    };
    await expect.poll(isReleased, { interval: 200 }).toBe(1);
    expect(await need(page, 'amy').count()).toBe(0);
    expect(await page.locator('.need :focus').count()).toBe(0);
  });

  test('is released at once when all its rows are handled', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await reports(agent, 'builder', 'blocked');
    await need(page, 'tester').hover();
    await reports(agent, 'tester', 'working');
    await need(page, 'tester').and(page.locator('[data-settled="true"]')).waitFor();
    await reports(agent, 'deployer', 'waiting_input');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    await reports(agent, 'builder', 'working');
    await need(page, 'deployer').waitFor();
    expect(await page.locator('.need').count()).toBe(1);
  });

  test('shows a new item on “j” from the last row, or on click, and moves the focus to it', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await need(page, 'tester').waitFor();
    await page.keyboard.press('j');
    await reports(agent, 'tester', 'working');
    await need(page, 'tester').and(page.locator('[data-settled="true"]')).waitFor();
    await reports(agent, 'builder', 'blocked');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    await page.keyboard.press('j');
    await need(page, 'builder').locator('.row-link:focus').waitFor();

    // Behind a row that is still open.
    await reports(agent, 'stopper', 'error');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    await page.keyboard.press('j');
    await need(page, 'stopper').locator('.row-link:focus').waitFor();
    expect(await page.locator('.need .row-link').allTextContents()).toEqual(['builder', 'stopper']);

    await reports(agent, 'deployer', 'waiting_input');
    await page.getByRole('button', { name: '1 new item' }).click();
    await need(page, 'deployer').locator('.row-link:focus').waitFor();
    // The focus is shown, so that the next key acts on what the person sees, and holds the list until it leaves.
    await page.mouse.move(0, 0);
    await reports(agent, 'tester', 'blocked');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    expect(await need(page, 'tester').count()).toBe(0);
    await page.getByRole('heading', { name: 'Overview' }).click();
    await need(page, 'tester').waitFor();
  });
});

function need(page: Page, alias: string): Locator {
  return page.locator('.need').filter({ hasText: alias });
}

function reports(agent: McpClient, alias: string, status: string) {
  return agent.call('report_status', { resume_id: alias, alias, status });
}

/** Moves the clock of the page until the element is there. */
async function shown(page: Page, element: Locator): Promise<void> {
  const count = async () => {
    await page.clock.runFor(200);
    return element.count();
  };
  await expect.poll(count).toBe(1);
}
