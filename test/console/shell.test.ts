import { describe, expect, test } from 'vitest';
import { restClient } from '../support/http/rest-client.ts';
import { overhang } from './browser.ts';
import { agentRow, browser, counted, openMenu, searchOf, signedIn, taskRow } from './fixture.ts';

describe.skipIf(browser === undefined)('the console', () => {
  test('shows an overview in which each number links to its list', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall' });
    // Browsers on systems without a locale report an invalid language tag.
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' }),
    );
    await page.reload();
    await counted(page, 'Agents', 'Blocked', 1);
    await counted(page, 'Tasks', 'Delivered', 1);
    await page.getByRole('region', { name: 'Oldest waiting tasks' }).getByText('Paint the wall').waitFor();
    await page.getByText('No failed tasks.').waitFor();
    await page.getByRole('img', { name: '1 task sent' }).locator('canvas').waitFor();
    await page.getByRole('radio', { name: 'Last day' }).check();
    await expect.poll(() => searchOf(page)).toBe('?span=day');
    await page.setViewportSize({ width: 3_840, height: 2_160 });
    const [overview, chart] = [page.locator('.overview'), page.locator('.chart')];
    await expect
      .poll(() =>
        Promise.all(
          [overview, chart].map((part) =>
            part.evaluate(({ clientWidth, clientHeight }) => clientWidth > 2_000 && clientHeight > 700),
          ),
        ),
      )
      .toEqual([true, true]);
    await page.getByRole('navigation', { name: 'Agents by status' }).getByRole('link', { name: 'Blocked' }).click();
    await agentRow(page, 'worker-1').waitFor();
    expect(searchOf(page)).toBe('?status=blocked');
  });

  test('switches networks in the top bar', async () => {
    const { page, hub, agent, userToken } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await restClient(hub.url, userToken).post('/api/networks', { name: 'elsewhere' });
    await page.goto('/agents');
    await agentRow(page, 'worker-1').waitFor();
    await page.getByLabel('Network').selectOption('elsewhere');
    await page.getByText('No agents yet').waitFor();
    await page.reload();
    await page.getByText('No agents yet').waitFor();
    await page.getByLabel('Network').selectOption('ada');
    await agentRow(page, 'worker-1').waitFor();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'error' });
    await agentRow(page, 'worker-1').filter({ hasText: 'Error' }).waitFor();
  });

  test('remembers the language and the theme', async () => {
    const { page } = await signedIn();
    await openMenu(page);
    await page.getByRole('radio', { name: '简体中文' }).check();
    await page.getByRole('radio', { name: '深色' }).check();
    await page.reload();
    await page.getByRole('heading', { name: '总览', exact: true }).waitFor();
    expect(
      await page.evaluate(() => [
        document.documentElement.lang,
        getComputedStyle(document.documentElement).colorScheme,
      ]),
    ).toEqual(['zh-CN', 'dark']);
  });

  test('hides write actions from viewers', async () => {
    const { page, hub, agent, networkId, userToken } = await signedIn();
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall' });
    const { body } = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'viewer' });
    const bob = (await restClient(hub.url).post('/api/auth/register', { username: 'bob', password: 'correct horse' }))
      .body;
    await restClient(hub.url, String(bob['token'])).post('/api/networks/join', { invite_code: body['invite_code'] });
    await page.evaluate(
      ([token, network_id]) => {
        sessionStorage.setItem(
          'agenthub.account',
          JSON.stringify({ token, network_id, user: { user_id: 'u', username: 'bob', display_name: 'bob' } }),
        );
      },
      [String(bob['token']), networkId],
    );
    await page.goto('/tasks');
    await taskRow(page, 'Paint the wall').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Paint the wall' }).waitFor();
    await page.getByText('No result yet.').waitFor();
    expect(await page.getByRole('button', { name: /Answer|Cancel|Reassign|Reply|Send|Settle/ }).count()).toBe(0);
  });

  test('moves nothing for people who want less motion', async () => {
    const { page } = await signedIn();
    const moving = (): Promise<number> =>
      page.evaluate(
        () =>
          [...document.querySelectorAll('*')].filter((element) => {
            const { transitionDuration, animationName } = getComputedStyle(element);
            return animationName !== 'none' || /[1-9]/.test(transitionDuration);
          }).length,
      );
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await moving()).toBe(0);
  });

  test('fits the width of a small phone on every page', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 812 } });
    const long = 'x'.repeat(200);
    await agent.call('report_status', {
      resume_id: 'r1',
      alias: long,
      status: 'waiting_input',
      task: long,
      progress: 3,
      agent: long,
      model: long,
      output: long,
    });
    const { task_id } = await agent.call('send_task', {
      alias: long,
      task: `${long.repeat(9)}\n\n\`\`\`\n${long.repeat(3)}\n\`\`\``,
      from_session: long,
      context: long,
    });
    for (const path of [
      '/',
      '/agents',
      `/agents/${long}`,
      '/tasks',
      '/tasks?view=board',
      `/tasks/${String(task_id)}`,
    ]) {
      await page.goto(path);
      await page.getByText('xxx').first().waitFor();
      expect(await overhang(page), path).toBe(0);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    expect(await overhang(page)).toBe(0);
  });
});
