import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { browser, counted, goTo, isLive, type SignedIn, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the search', () => {
  test('finds tasks, their results, messages and agents in the palette', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await fill(fixture);
    await find(page, 'primer');
    const task = page.getByRole('option', { name: 'Paint the wall' }).filter({ hasText: 'Replied' });
    await task.filter({ hasText: 'two coats of primer' }).waitFor();
    expect(await task.locator('mark').textContent()).toBe('primer');
    await page.getByRole('option', { name: 'Which primer do you want?' }).filter({ hasText: 'painter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which primer do you want?' }).waitFor();
    await page.getByRole('link', { name: 'Open conversation' }).click();
    await page.getByRole('log').getByText('Which primer do you want?').waitFor();
    await find(page, 'pain');
    await page.getByRole('option', { name: 'painter Agent' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'painter' }).waitFor();
  });

  test('opens the page of a pasted ID', async () => {
    const fixture = await signedIn({ failures: ['404 /api/messages/msg_0000000000000000'] });
    const { page, networkId } = fixture;
    const { task_id, message_id } = await fill(fixture);
    await find(page, ` \`${task_id}\``);
    await page.getByRole('option', { name: 'Paint the wall' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Paint the wall' }).waitFor();
    await find(page, message_id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Which primer do you want?' }).waitFor();
    await find(page, networkId);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    await find(page, 'msg_0000000000000000');
    await page.getByText('Nothing in this network has this ID.').waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/search');
    await page.locator('[data-search]:focus').waitFor();
    await page.keyboard.insertText(task_id);
    await page.getByRole('link', { name: 'Paint the wall' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Paint the wall' }).waitFor();
  });

  test('has a page with results of each kind, which the keys reach and which stays current', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await fill(fixture);
    const waiting = await agent.call('send_task', { alias: 'painter', task: 'Buy more primer', from_session: 'boss' });
    await goTo(page, 'Search');
    await page.locator('[data-search]:focus').waitFor();
    await page.keyboard.type('primer');
    await expect.poll(() => searchOf(page)).toBe('?text=primer');
    await section(page, 'Tasks and results').getByText('2', { exact: true }).waitFor();
    await section(page, 'Messages').getByText('2', { exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Agents' }).count()).toBe(0);
    await audit(page, 'search results');
    await agent.call('send_ack', { task_id: textOf(waiting, 'task_id') });
    await section(page, 'Tasks and results')
      .locator('li', { hasText: 'Buy more primer' })
      .getByText('Running')
      .waitFor();
    await page.getByRole('searchbox').press('Enter');
    await page.keyboard.press('j');
    expect(await page.locator(':focus').textContent()).toBe('Paint the wall');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Paint the wall' }).waitFor();
    await page.goBack();
    await section(page, 'Tasks and results').getByText('two coats of primer').waitFor();
    await page.getByRole('link', { name: 'Open in Tasks' }).click();
    await page.getByText('2 tasks match').waitFor();
  });

  test('shows what is found while it runs, and says when that is not all', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await fill(fixture);
    const parts = await inParts(page);
    await page.goto('/search?text=wall');
    await isLive(page);
    const tasks = section(page, 'Tasks and results');
    await parts.respond([], 'c1');
    await tasks.getByText('0 so far, searching…').waitFor();
    await parts.respond([taskNamed('First wall')], 'c2');
    await tasks.getByText('1 so far, searching…').waitFor();
    await tasks.getByRole('link', { name: 'First wall' }).waitFor();
    await parts.respond(
      Array.from({ length: 15 }, (_, n) => taskNamed(`wall ${n}`)),
      'c3',
    );
    await tasks.getByText('16 or more').waitFor();
    await tasks.getByRole('button', { name: 'Search for more' }).click();
    await parts.respond([taskNamed('Last wall')]);
    await tasks.getByText('17', { exact: true }).waitFor();
    expect(parts.cursors).toEqual([null, 'c1', 'c2', 'c3']);
  });

  test('is cancelled by a new text', async () => {
    const fixture = await signedIn({ failures: [] });
    const { page } = fixture;
    await fill(fixture);
    const parts = await inParts(page);
    await page.goto('/search?text=wall');
    await expect.poll(() => parts.cursors.length).toBe(1);
    const cancelled = page.waitForEvent('requestfailed', isSearch);
    await page.getByRole('searchbox').fill('door');
    expect(new URL((await cancelled).url()).searchParams.get('text')).toBe('wall');
    await expect.poll(() => parts.texts).toEqual(['wall', 'door']);
    parts.drop();
    await parts.respond([taskNamed('A door')]);
    await section(page, 'Tasks and results').getByRole('link', { name: 'A door' }).waitFor();
  });
});

async function fill({ agent, page }: SignedIn) {
  await agent.call('report_status', { resume_id: 'r1', alias: 'painter', status: 'idle' });
  const task_id = textOf(
    await agent.call('send_task', { alias: 'painter', task: 'Paint the wall', from_session: 'boss' }),
    'task_id',
  );
  await agent.call('send_reply', {
    alias: 'boss',
    text: 'Done with two coats of primer.',
    in_reply_to: task_id,
    from_session: 'painter',
  });
  const sent = await agent.call('send_message', {
    alias: 'boss',
    message: 'Which primer do you want?',
    from_session: 'painter',
  });
  await page.goto('/tasks');
  await counted(page, 'Tasks', 'Replied', 1);
  return { task_id, message_id: textOf(sent, 'message_id') };
}

async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command palette' }).fill(text);
}

function section(page: Page, name: string) {
  return page.getByRole('region', { name, exact: true });
}

const isSearch = (request: Request) =>
  new URL(request.url()).searchParams.get('partial') === 'true' && isOfTasks(request);
const isOfTasks = (request: Request) => new URL(request.url()).pathname === '/api/tasks';

/** Intercepts the searches for tasks, and responds as a hub with very many tasks does. */
async function inParts(page: Page) {
  const cursors: (string | null)[] = [];
  const texts: (string | null)[] = [];
  const held: ((body: object) => void)[] = [];
  await page.route('**/api/tasks?*', async (route) => {
    const { searchParams } = new URL(route.request().url());
    if (!isSearch(route.request())) return route.continue();
    cursors.push(searchParams.get('cursor'));
    texts.push(searchParams.get('text'));
    const body = await new Promise<object>((resolve) => held.push(resolve));
    await route.fulfill({ json: body }).catch(() => {});
  });
  return {
    cursors,
    texts,
    drop: () => void held.shift()?.({}),
    respond: async (tasks: readonly object[], next_cursor?: string) => {
      await expect.poll(() => held.length).toBe(1);
      held.shift()?.({ ok: true, tasks, ...(next_cursor !== undefined && { next_cursor }) });
    },
  };
}

let named = 0;

function taskNamed(content: string): object {
  const at = '2026-01-01 00:00:00';
  return {
    task_id: `t${++named}`,
    content,
    status: 'delivered',
    priority: 'normal',
    from_name: 'boss',
    to_name: 'painter',
    attempt: 1,
    result: null,
    created_at: at,
    delivered_at: at,
    expires_at: at,
  };
}
