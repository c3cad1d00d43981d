import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { McpClient } from '../../support/http/mcp-client.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { browser, goTo, resume, type SignedIn, signedIn } from '../fixture.ts';
import { anonymousPage } from '../other-users.ts';

describe.skipIf(browser === undefined)('what needs a person', () => {
  test('is shown on every page, and answered in place', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'builder', 'working');
    await page.getByText('Nothing needs your attention.').waitFor();
    await counts(page, 0);
    expect(await favicon(page)).toMatch(/\/assets\/icon/);
    await goTo(page, 'Tasks');
    await reports(agent, 'builder', 'waiting_input', 'Reading the plan\nWhich color?\n');
    const question = 'Which color? Blue or gray?';
    await agent.call('send_message', { alias: 'ada', message: question, from_session: 'builder' });
    await counts(page, 1);
    await expect.poll(() => page.title()).toBe('(1) Tasks · agenthub');
    await expect.poll(() => favicon(page)).toMatch(/^data:image\/svg\+xml,.*%3Ccircle%20cx%3D%2225/);

    await page.locator('p[role="status"]', { hasText: 'Needs you: builder' }).waitFor({ state: 'attached' });

    await page.getByRole('link', { name: 'Needs you: 1' }).click();
    await row(page, `Needs input: ${question}`).waitFor();
    await expect.poll(() => focused(page)).toBe('builder');
    expect(await texts(page)).toEqual([`builder Needs input: ${question}`]);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Answer builder' });
    await dialog.getByText(question).waitFor();
    await page.keyboard.type('Gray');
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    await counts(page, 0);
    const answers = listOf(await agent.call('get_inbox', { alias: 'builder' }), 'messages');
    expect(answers).toMatchObject([{ content: 'Gray', from_session: 'ada' }]);
    expect(listOf(await agent.call('get_inbox', { alias: 'ada' }), 'messages')).toEqual([]);

    await expect.poll(() => page.title()).toBe('Overview · agenthub');
    await expect.poll(() => favicon(page)).toMatch(/\/assets\/icon/);
    // The focus is in the list, so its rows keep their place.
    expect(await texts(page)).toEqual(['builder Answered']);
    await page.getByRole('button', { name: 'Send a task', exact: true }).focus();
    await expect.poll(() => texts(page)).toEqual(['builder Answered · Needs input: Which color?']);
    await reports(agent, 'builder', 'working');
    await page.getByText('Nothing needs your attention.').waitFor();
  });

  test('includes failed tasks, which are retried or dismissed in place', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await fails(fixture, 'Paint the wall', 'No paint');
    await fails(fixture, 'Sweep the floor', 'No broom', 'worker-2');
    await row(page, 'Failed on worker-1: No paint').getByRole('button', { name: 'Retry: Paint the wall' }).click();
    await page.getByText('Sent again to worker-1.').waitFor();
    await counts(page, 1);
    await page.mouse.move(0, 0);
    await row(page, 'Paint the wall').waitFor({ state: 'detached' });
    expect(listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages')).toMatchObject([
      { type: 'task', content: 'Paint the wall', attempt: 2 },
    ]);
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await counts(page, 0);
    await page.reload();
    await page.getByText('Nothing needs your attention.').waitFor();
    await counts(page, 0);
  });

  test('includes the failures of other tasks, one row for each agent', async () => {
    const { page, agent } = await signedIn();
    for (const [n, task] of ['Paint the wall', 'Sweep the floor', 'Mow the lawn'].entries()) {
      const sent = await agent.call('send_task', { alias: 'worker-1', task, from_session: 'planner' });
      const reply = { alias: 'planner', text: 'No', in_reply_to: textOf(sent, 'task_id'), status: 'failed' };
      await agent.call('send_reply', { ...reply, from_session: 'worker-1' });
      await row(page, n === 0 ? 'Failed on worker-1: No' : `${n + 1} failures: `).waitFor();
    }
    await counts(page, 1);
    const group = row(page, 'worker-1');
    const list = group.getByRole('link', { name: 'worker-1' });
    expect(await list.getAttribute('href')).toBe('/tasks?to=worker-1&status=failed');
    expect(await group.getByRole('button').allTextContents()).toEqual(['Retry 3', 'Reassign 3', 'Dismiss all']);
    await page.reload();
    await counts(page, 1);
    await group.getByRole('button', { name: 'Dismiss all: worker-1' }).click();
    await counts(page, 0);
    await page.reload();
    await counts(page, 0);
  });

  test('retries all failures of a group, and shows which were rejected', async () => {
    const failures: string[] = [];
    const fixture = await signedIn({ failures });
    const { page, agent } = fixture;
    await page.route('**/retry', async (route) => {
      if (failures.length > 0) return route.continue();
      failures.push(`500 ${new URL(route.request().url()).pathname}`);
      return route.fulfill({ status: 500, body: '{}' });
    });
    for (const task of ['Paint the wall', 'Sweep the floor', 'Mow the lawn']) await fails(fixture, task, 'No', 'any');
    await row(page, '3 failures').getByRole('link', { name: 'any', exact: true }).focus();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Retry 3 tasks?' }).getByText('Mow the lawn').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Tasks', exact: true });
    await dialog.getByText('Retried: 2 tasks. Rejected: 1 task.').waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(1);
    await page.keyboard.press('Escape');
    await counts(page, 1);
    expect(listOf(await agent.call('get_inbox', { alias: 'any' }), 'messages')).toHaveLength(2);
  });

  test('settles a task of a sender with a long name in a dialog that fits a phone', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 812 } });
    await agent.call('send_task', { alias: 'ada', task: 'Decide', from_session: `${'long-'.repeat(15)}name` });
    await page.getByRole('button', { name: /^Settle/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  test('returns the focus to the row when Esc closes its dialog', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    for (const task of ['Paint the wall', 'Sweep the floor']) await fails(fixture, task, 'No', 'any');
    const link = row(page, '2 failures').getByRole('link', { name: 'any', exact: true });
    await link.focus();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Retry 2 tasks?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('reassigns all failures of a group', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    for (const task of ['Paint the wall', 'Sweep the floor']) await fails(fixture, task, 'No', 'any');
    await row(page, '2 failures').getByRole('link', { name: 'any', exact: true }).focus();
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Reassign 2 tasks' }).getByRole('combobox').fill('other');
    await page.keyboard.press('Enter');
    await page.getByText('Reassigned: 2 tasks.').waitFor();
    await counts(page, 0);
    const tasks = listOf(await agent.call('get_inbox', { alias: 'other' }), 'messages');
    expect(tasks.map(({ content }) => content).toSorted()).toEqual(['Paint the wall', 'Sweep the floor']);
    await expect.poll(async () => listOf(await agent.call('get_inbox', { alias: 'ada' }), 'messages')).toEqual([]);
  });

  test('shows all messages of a group, and an answer marks only the chosen one as read', async () => {
    const { page, agent } = await signedIn();
    const ask = (message: string) => agent.call('send_message', { alias: 'ada', message, from_session: 'builder' });
    for (const n of [1, 2, 3, 4]) await ask(`Question ${n}?`);
    const group = row(page, '4 unread messages: Question 1?');
    await group.getByRole('button', { name: 'Answer: builder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer builder' });
    await dialog.getByText('Question 4?').waitFor();
    expect(await dialog.locator('blockquote').allTextContents()).toEqual([1, 2, 3, 4].map((n) => `Question ${n}?`));
    await ask('Question 5?');
    await row(page, '5 unread messages: Question 1?').waitFor();
    await page.keyboard.type('Yes');
    expect(await dialog.getByRole('radio', { name: 'builder Question 1?' }).isChecked()).toBe(true);
    await dialog.getByRole('radio', { name: 'Question 3?' }).check();
    await dialog.getByRole('button', { name: 'Send answer' }).click();
    await row(page, '4 unread messages: Question 1?').waitFor();
    const unread = listOf(await agent.call('get_inbox', { alias: 'ada', limit: 10 }), 'messages');
    expect(unread.map(({ content }) => content)).toEqual([1, 2, 4, 5].map((n) => `Question ${n}?`));
    const answers = listOf(await agent.call('get_inbox', { alias: 'builder' }), 'messages');
    expect(answers).toMatchObject([{ content: 'Yes' }]);
  });

  test('keeps an agent without a task as answered until it reports another status', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'deployer', 'blocked', 'Which server?\nMay I deploy?\n');
    const asked = second();
    await row(page, 'Blocked: May I deploy?').getByRole('button', { name: 'Message: deployer' }).click();
    const dialog = page.getByRole('dialog', { name: 'Message deployer' });
    await dialog.getByText('Which server?').waitFor();
    await dialog.getByText('deployer sees your message the next time it reads its inbox.').waitFor();
    await page.keyboard.type('Yes');
    await dialog.getByRole('button', { name: 'Send message' }).click();
    await row(page, 'Answered · Blocked: May I deploy?').waitFor();
    await counts(page, 0);
    await page.reload();
    await row(page, 'Answered · Blocked: May I deploy?').waitFor();
    await reports(agent, 'deployer', 'working');
    await row(page, 'deployer').waitFor({ state: 'detached' });
    await expect.poll(second).not.toBe(asked); // the same question in the same second would be the same
    await reports(agent, 'deployer', 'blocked');
    await row(page, 'Blocked: May I deploy?').waitFor();
    await counts(page, 1);
  });

  test('has more rows on a wide screen', async () => {
    const { page, agent } = await signedIn();
    for (let n = 0; n < 18; n++) await reports(agent, `agent-${n}`, 'waiting_input');
    for (const [width, rows] of [
      [800, 6],
      [1_200, 10],
      [1_920, 16],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => needs(page).getByRole('listitem').count()).toBe(rows);
    }
  });

  test('keeps its rows in place while the pointer is in the list', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await row(page, 'Blocked').hover();
    await reports(agent, 'builder', 'waiting_input');
    await counts(page, 2);
    expect(await texts(page)).toEqual(['tester Blocked']);
    await page.getByRole('button', { name: '1 new item' }).click();
    await expect.poll(() => texts(page)).toEqual(['builder Needs input', 'tester Blocked']);
  });

  test('keeps its rows in place while the keyboard is in the list, until Esc', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await row(page, 'Blocked').waitFor();
    await page.keyboard.press('j');
    await reports(agent, 'builder', 'waiting_input');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => texts(page)).toEqual(['builder Needs input', 'tester Blocked']);
  });

  test('keeps its rows in place while the pointer moves over the lists below', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await row(page, 'Blocked').waitFor();
    const below = page.locator('#agents');
    await below.hover();
    const before = await below.boundingBox();
    const moving = new AbortController();
    const move = async (): Promise<void> => {
      for (let n = 0; !moving.signal.aborted; n = (n + 1) % 5)
        await page.mouse.move((before?.x ?? 0) + n, before?.y ?? 0);
    };
    const moved = move();
    await reports(agent, 'builder', 'waiting_input');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    expect(await below.boundingBox()).toEqual(before);
    moving.abort();
    await moved;
    await expect.poll(() => texts(page)).toEqual(['builder Needs input', 'tester Blocked']);
  });

  test('warns in the dialog of a second tab that the question has been answered', async () => {
    const fixture = await signedIn();
    const { page, agent, hub } = fixture;
    await reports(agent, 'builder', 'waiting_input');
    await agent.call('send_message', { alias: 'ada', message: 'Blue or gray?', from_session: 'builder' });
    await row(page, 'Blue or gray?').getByRole('button', { name: 'Answer: builder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer builder' });
    await dialog.getByText('Blue or gray?').waitFor();
    expect(await dialog.getByText('answered or marked as read').count()).toBe(0);
    const { body } = await restClient(hub.url, fixture.userToken).get('/api/messages?alias=ada');
    const in_reply_to = textOf(listOf(body, 'messages')[0] ?? {}, 'id');
    await agent.call('send_reply', { alias: 'builder', text: 'Gray', in_reply_to, from_session: 'ada' });
    await dialog.getByText('This message has been answered or marked as read meanwhile.').waitFor();
  });

  test('can be shown again after it was dismissed', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'tester', 'blocked');
    await reports(agent, 'builder', 'waiting_input');
    for (const alias of ['tester', 'builder']) await page.getByRole('button', { name: `Dismiss: ${alias}` }).click();
    await counts(page, 0);
    await page.reload();
    await page.getByRole('button', { name: 'Restore 2 dismissed' }).click();
    await counts(page, 2);
    await expect.poll(() => texts(page)).toEqual(['builder Needs input', 'tester Blocked']);
    expect(await page.getByRole('button', { name: /dismissed/ }).count()).toBe(0);
  });

  test('can only be dismissed by a viewer', async () => {
    const fixture = await signedIn();
    const { hub, agent } = fixture;
    await reports(agent, 'builder', 'waiting_input');
    await agent.call('send_message', { alias: 'hub', message: 'Blue or gray?', from_session: 'builder' });
    await agent.call('send_task', { alias: 'hub', task: 'Choose a color', from_session: 'builder' });
    await fixture.page.getByRole('button', { name: 'Settle: Choose a color' }).waitFor();
    const page = await anonymousPage(hub);
    await resume(page, await viewer(fixture));
    await row(page, 'Needs input: Blue or gray?').waitFor();
    await counts(page, 2);
    const names = await needs(page).getByRole('button').allTextContents();
    expect(names).toEqual(['Dismiss', 'Dismiss']);
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    expect(await page.getByRole('dialog').count()).toBe(0);
    for (const n of [1, 0]) {
      await needs(page)
        .getByRole('button', { name: /^Dismiss/ })
        .first()
        .click();
      await counts(page, n);
    }
  });

  test('loads with two requests for the mail of each inbox, and shares those of the overview', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await fails(fixture, 'Paint the wall', 'No paint');
    await fixture.agent.call('send_task', { alias: 'worker-1', task: 'Sweep the floor' });
    const lists: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (/^\/api\/(messages|tasks)$/.test(pathname))
        lists.push(
          ['alias', 'status', 'type'].reduce(
            (path, name) => `${path} ${searchParams.get(name) ?? ''}`.trim(),
            pathname,
          ),
        );
    });
    page.on('framenavigated', () => lists.splice(0)); // those of the page before
    await page.reload();
    await row(page, 'Failed on worker-1: No paint').waitFor();
    await page.getByRole('region', { name: 'Oldest waiting tasks' }).getByText('Sweep the floor').waitFor();
    const mail = lists.filter((path) => path.startsWith('/api/messages'));
    expect(mail.toSorted()).toEqual(
      ['ada', 'hub'].flatMap((alias) => ['message', 'reply'].map((type) => `/api/messages ${alias} ${type}`)),
    );
    expect(lists.filter((path) => path === '/api/tasks delivered')).toHaveLength(1);
    // The lists of the overview may load again when the stream opens.
    const others = new Set(lists.filter((path) => !mail.includes(path)));
    expect([...others].toSorted()).toEqual(['/api/tasks', '/api/tasks delivered', '/api/tasks failed']);
  });

  test('dismisses the failures that are shown, and no others, and restores them for an hour', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await page.clock.install();
    for (const n of [1, 2]) await fails(fixture, `Chore ${n}`, 'No time', `worker-${n}`);
    await row(page, 'Failed on worker-2').hover();
    await failsOn(fixture, 'Chore 3', 'No key', 'worker-3');
    await page.getByRole('button', { name: '1 new item' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss 2 failures' }).click();
    await page.mouse.move(0, 0);
    await row(page, 'No key').waitFor();
    await page.clock.runFor(30_000);
    await page.reload();
    await row(page, 'No key').waitFor();
    expect(await texts(page)).toHaveLength(1);
    await page.getByRole('button', { name: 'Restore 2 dismissed' }).click();
    await row(page, 'Failed on worker-2').waitFor();
    await counts(page, 3);
  });

  test('brings back a message that was dismissed, which stays unread', async () => {
    const { page, agent } = await signedIn();
    await reports(agent, 'builder', 'working');
    await agent.call('send_message', { alias: 'ada', message: 'Which color?', from_session: 'builder' });
    await row(page, 'Which color?').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.getByText('Dismissed').first().waitFor();
    await counts(page, 0);
    await page.reload();
    await page.getByRole('button', { name: 'Restore 1 dismissed' }).click();
    await row(page, 'Which color?').waitFor();
    expect(listOf(await agent.call('get_inbox', { alias: 'ada' }), 'messages')).toHaveLength(1);
  });

  test('marks all results as read, also those that are not loaded', async () => {
    const { page, agent, hub, networkToken } = await signedIn();
    for (let n = 0; n < 105; n++)
      await agent.call('send_reply', { alias: 'ada', text: `Done ${n}.`, from_session: 'builder' });
    await agent.call('send_message', { alias: 'ada', message: 'Which color?', from_session: 'builder' });
    await page.reload();
    await row(page, 'More than 100 results').waitFor();
    await page.getByRole('button', { name: /^Mark all as read/ }).click();
    await page.mouse.move(0, 0);
    await row(page, 'More than 100 results').waitFor({ state: 'detached' });
    const unread = async () =>
      listOf((await restClient(hub.url, networkToken).get('/api/messages?alias=ada&pending=true')).body, 'messages');
    await expect.poll(unread).toMatchObject([{ content: 'Which color?' }]);
  });

  test('has no number until everything has loaded', async () => {
    const fixture = await signedIn();
    const { page, agent } = fixture;
    await reports(agent, 'builder', 'blocked');
    await fails(fixture, 'Paint the wall', 'No paint');
    await page.addInitScript(() => {
      const look = () => {
        const number = document.querySelector('.needs-button')?.getAttribute('aria-label');
        if (number) Object.assign(window, { numbers: new Set([...(Reflect.get(window, 'numbers') ?? []), number]) });
        requestAnimationFrame(look);
      };
      look();
    });
    await page.route(/status=failed.*created_after|created_after.*status=failed/, async (route) => {
      await row(page, 'Blocked').waitFor();
      await route.continue();
    });
    await page.reload();
    await counts(page, 2);
    expect(await page.evaluate(() => [...Reflect.get(window, 'numbers')])).toEqual(['Needs you', 'Needs you: 2']);
  });

  test('fits a small phone and is accessible', async () => {
    const { page, agent, ...rest } = await signedIn({ viewport: { width: 375, height: 812 } });
    const long = 'x'.repeat(200);
    await reports(agent, long, 'waiting_input', long);
    await agent.call('send_message', { alias: 'ada', message: long, from_session: long });
    await fails({ page, agent, ...rest }, long, long);
    await counts(page, 2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    const box = await needs(page).boundingBox();
    expect(box?.y).toBeLessThan(200);
    await audit(page, 'needs');
  });
});

function needs(page: Page): Locator {
  return page.getByRole('region', { name: 'Needs you' });
}

function row(page: Page, text: string | RegExp): Locator {
  return needs(page).getByRole('listitem').filter({ hasText: text });
}

/** The title and reason of each row. */
function texts(page: Page): Promise<string[]> {
  return needs(page)
    .getByRole('listitem')
    .evaluateAll((rows) =>
      rows.map((each) =>
        [...each.querySelectorAll('.row-link, .need-reason')].map((part) => part.textContent).join(' '),
      ),
    );
}

/** The timestamps of the hub have no fractions. */
function second(): number {
  return Math.floor(Date.now() / 1_000);
}

function counts(page: Page, n: number): Promise<void> {
  return page.getByRole('link', { name: `Needs you: ${n}`, exact: true }).waitFor();
}

function favicon(page: Page): Promise<string | null> {
  return page.locator('link[rel="icon"]').getAttribute('href');
}

function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent);
}

function reports(agent: McpClient, alias: string, status: string, output?: string) {
  return agent.call('report_status', { resume_id: alias, alias, status, ...(output !== undefined && { output }) });
}

async function failsOn({ agent }: SignedIn, task: string, text: string, alias: string): Promise<void> {
  const sent = await agent.call('send_task', { alias, task, from_session: 'ada' });
  const in_reply_to = textOf(sent, 'task_id');
  await agent.call('send_reply', { alias: 'ada', text, in_reply_to, status: 'failed', from_session: alias });
}

async function fails(fixture: SignedIn, task: string, text: string, alias = 'worker-1'): Promise<void> {
  const { page } = fixture;
  await failsOn(fixture, task, text, alias);
  await row(page, new RegExp(`Failed on ${alias}: ${text}|\\d failures: `)).waitFor();
}

async function viewer({ hub, userToken, networkId }: SignedIn) {
  const { body } = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'viewer' });
  const bob = await restClient(hub.url).post('/api/auth/register', { username: 'bob', password: 'correct horse' });
  const token = textOf(bob.body, 'token');
  await restClient(hub.url, token).post('/api/networks/join', { invite_code: body['invite_code'] });
  const user = { user_id: 'u', username: 'bob', display_name: 'bob' };
  return { user, userToken: token, networkToken: '', networkId };
}
