import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sequencePath } from '../../../console/routes.ts';
import { textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { browser, goTo, type SignedIn, searchOf, signedIn } from '../fixture.ts';

const RIGHT_TO_LEFT = 'בונה-שלוש';
const LONG = `builder-${'x'.repeat(150)}`;

describe.skipIf(browser === undefined)('the sequence view', () => {
  test('shows each message as an arrow between its agents, live, and opens its task', async () => {
    const { page, agent } = await signedIn();
    await goTo(page, 'Sequence');
    await page.getByText('No messages here yet').waitFor();
    const task_id = textOf(
      await agent.call('send_task', { alias: 'bob', task: 'Paint the wall', from_session: 'ada' }),
      'task_id',
    );
    await arrow(page, 'ada → to bob: Task Paint the wall').waitFor();
    await agent.call('send_reply', {
      alias: 'ada',
      text: 'No paint',
      in_reply_to: task_id,
      status: 'failed',
      from_session: 'bob',
    });
    await arrow(page, 'bob → to ada: Failed No paint').waitFor();
    expect(await laneNames(page)).toEqual(['ada', 'bob']);
    expect(await headOf(page, 'Paint the wall')).toBeGreaterThan(await headOf(page, 'No paint'));
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${task_id}`);
    await page.goBack();
    await arrow(page, 'Paint the wall').waitFor();
  });

  test('keeps the choice of agents, type and time in its address', async () => {
    const { page, agent } = await signedIn();
    for (const [from_session, alias] of [
      ['ada', 'bob'],
      ['bob', 'eve'],
      ['eve', 'zoe'],
    ])
      await agent.call('send_message', { alias, message: `from ${from_session}`, from_session });
    await page.goto('/sequence');
    await arrow(page, 'from eve').waitFor();
    await page.getByLabel('Add an agent').fill('bob');
    await page.getByLabel('Add an agent').press('Enter');
    await arrow(page, 'from eve').waitFor({ state: 'detached' });
    await arrow(page, 'from ada').waitFor();
    expect(await arrows(page)).toBe(2);
    await page.getByLabel('Add an agent').fill('eve');
    await page.getByLabel('Add an agent').press('Enter');
    await arrow(page, 'from ada').waitFor({ state: 'detached' });
    await page.getByLabel('Type', { exact: true }).selectOption('Task');
    await page.getByText('No results').waitFor();
    await page.getByLabel('Time range').selectOption('Last hour');
    expect(searchOf(page)).toBe('?agents=bob%2Ceve&kind=task&span=hour');
    await page.goto('/sequence?agents=bob%2Ceve&kind=message&span=hour&view=list');
    await arrow(page, 'bob → to eve: Message from bob').waitFor();
    expect(await arrows(page)).toBe(1);
    await page.getByRole('link', { name: 'Remove eve' }).click();
    await arrow(page, 'from ada').waitFor();
  });

  test('moves nothing while the user reads it', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 1280, height: 500 } });
    for (let n = 0; n < 30; n += 1)
      await agent.call('send_message', { alias: 'bob', message: `number ${n}`, from_session: 'eve' });
    await page.goto('/sequence');
    await arrow(page, 'number 29').waitFor();
    await page.getByRole('log').evaluate((log) => log.scrollTo({ top: 40 }));
    const before = await topOf(page, 'number 3');
    await agent.call('send_message', { alias: 'bob', message: 'one more', from_session: 'eve' });
    await page.getByRole('button', { name: '1 new message' }).waitFor();
    expect(await topOf(page, 'number 3')).toBe(before);
    await page.getByRole('button', { name: '1 new message' }).click();
    await arrow(page, 'one more').waitFor();
    await page.getByRole('button', { name: '1 new message' }).waitFor({ state: 'detached' });
  });

  test('a long history is read in pages, and an older page moves nothing', async () => {
    const { page, agent } = await signedIn();
    for (let n = 0; n < 130; n += 1)
      await agent.call('send_message', { alias: 'bob', message: `number ${n};`, from_session: 'eve' });
    await page.goto('/sequence');
    await arrow(page, 'number 129;').waitFor();
    expect(await arrows(page)).toBe(100);
    await page.getByRole('button', { name: 'Show older messages' }).scrollIntoViewIfNeeded();
    const before = await topOf(page, 'number 35;');
    await page.getByRole('button', { name: 'Show older messages' }).press('Enter');
    await arrow(page, 'number 0;').waitFor({ state: 'attached' });
    expect(await topOf(page, 'number 35;')).toBeCloseTo(before, 0);
    expect(await arrows(page)).toBe(130);
  });

  test('draws fifty agents, with names of any length and direction, on any screen without faults', async () => {
    const { page, agent } = await signedIn();
    await fillLanes(agent);
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 812 });
      for (const path of ['/sequence', sequencePath([RIGHT_TO_LEFT, LONG]), '/sequence?view=list']) {
        await page.goto(path);
        await arrow(page, 'hello').first().waitFor();
        expect(await overhang(page)).toBe(0);
        await audit(page, `${path} ${width}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 812 });
    await page.goto('/sequence');
    const last = page.getByRole('list', { name: 'Agents and people' }).getByText('Others');
    await last.waitFor({ state: 'attached' });
    const head = await last.boundingBox();
    await page.getByRole('log').evaluate((log) => log.scrollTo(log.scrollWidth, log.scrollTop / 2));
    await expect.poll(async () => (await last.boundingBox())?.x).toBeLessThan(1280);
    expect((await last.boundingBox())?.y).toBe(head?.y);
  });
});

async function fillLanes(agent: SignedIn['agent']): Promise<void> {
  await agent.call('send_message', { alias: RIGHT_TO_LEFT, message: 'hello', from_session: LONG });
  for (let n = 0; n < 55; n += 1)
    await agent.call('send_message', { alias: `agent-${n}`, message: 'hello', from_session: `agent-${(n * 7) % 55}` });
}

function arrow(page: Page, text: string) {
  return page
    .getByRole('log')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link'), hasText: text });
}

function arrows(page: Page): Promise<number> {
  return page.locator('.lane-row').count();
}

function laneNames(page: Page): Promise<string[]> {
  return page.getByRole('list', { name: 'Agents and people' }).getByRole('link').allTextContents();
}

/** Where the arrow points. */
async function headOf(page: Page, text: string): Promise<number> {
  return (await arrow(page, text).locator('[data-head]').boundingBox())?.x ?? Number.NaN;
}

async function topOf(page: Page, text: string): Promise<number> {
  return (await arrow(page, text).boundingBox())?.y ?? Number.NaN;
}
