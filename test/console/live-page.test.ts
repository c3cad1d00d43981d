// The console in a real browser, against the hub as it is shipped: what a person does on the first day.
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { isBuilt } from '../support/hub-process.ts';
import { listOf, textOf } from '../support/json.ts';
import { mcpClient, type McpClient } from '../support/mcp-client.ts';
import { PASSWORD, register, restClient } from '../support/rest-client.ts';
import { startHub, type RunningHub } from '../support/running-hub.ts';
import { openBrowser, openPage, overhang, type PageOptions } from './browser.ts';

const browser = isBuilt('binary') ? await openBrowser() : undefined;
if (!isBuilt('binary')) process.stderr.write("\n!!! dist/agenthub is missing: the console's tests in a browser are SKIPPED; npm run build makes it\n");

afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('in the console', () => {
  test('a person registers, and an agent appears on the page without a reload', async () => {
    const { page, hub } = await emptyHub();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Set up this hub' }).waitFor();
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();

    await page.getByRole('heading', { name: 'Welcome, ada' }).waitFor();
    const token = await shown(page, 'Your network token');
    expect(token).toMatch(/^ntok_[0-9A-Za-z]{36}$/);
    expect(await shown(page, 'Claude Code')).toContain(`${hub.url}/mcp --header "Authorization: Bearer ${token}"`);
    await page.getByText('Waiting for an agent to report').waitFor();

    await mcpClient(hub.url, token).call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'working', task: 'Sweep the floor', progress: 40 });
    await page.getByText('worker-1 is connected').waitFor();
    await page.getByRole('link', { name: 'Open the live page' }).click();
    await agentRow(page, 'worker-1').filter({ hasText: 'Working' }).filter({ hasText: 'Sweep the floor' }).filter({ hasText: '40 %' }).waitFor();
    await page.getByText('No tasks yet').waitFor();
  });

  test('on a hub for a team, the link it printed lets the first person in, and copying works without https', async () => {
    const { page, hub } = await emptyHub({}, ['--host', '0.0.0.0']);
    await page.goto(/"url":"[^"]+(\/#setup=\w+)"/.exec(hub.output())?.[1] ?? 'no link was printed');
    await page.getByRole('heading', { name: 'Set up this hub' }).waitFor();
    expect(page.url()).not.toContain('setup=');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    const token = await shown(page, 'Your network token');
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByRole('button', { name: 'Copy: Your network token' }).click();
    await page.getByText('Copied').first().waitFor();
    await page.getByRole('link', { name: 'Open the live page' }).click();
    await page.getByRole('button', { name: 'Send a task', exact: true }).click();
    await page.getByLabel('Task', { exact: true }).press('Control+V');
    await expect.poll(() => page.getByLabel('Task', { exact: true }).inputValue()).toBe(token);
  });

  test('without that link the first person is asked for the setup token', async () => {
    const { page } = await emptyHub({ failures: ['403 /api/auth/register'] }, ['--host', '0.0.0.0']);
    await page.goto('/');
    await page.getByLabel('Setup token').fill('guess');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('This is not the setup token.').waitFor();
    expect(await descriptionOf(page, 'Setup token')).toContain('the hub printed when it started');
  });

  test('the lines for an agent work when they are copied', async () => {
    const { page, hub } = await emptyHub();
    await page.goto('/sign-up');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('radio', { name: 'curl' }).check();
    const line = await shown(page, 'curl');
    const [token, body] = [/Bearer (ntok_\w+)/.exec(line)?.[1], /-d '([^']+)'/.exec(line)?.[1]];
    expect(line).toContain(`curl ${hub.url}/mcp `);
    await fetch(`${hub.url}/mcp`, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: body ?? '' });
    await page.getByText('worker-1 is connected').waitFor();
  });

  test('another network is chosen in the bar, and each shows its own agents', async () => {
    const { page, hub, agent, userToken } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await restClient(hub.url, userToken).post('/api/networks', { name: 'elsewhere' });
    await page.reload();
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

  test('another token can be made for another agent', async () => {
    const { page, hub } = await signedIn();
    await page.getByRole('link', { name: 'Connect an agent' }).first().click();
    await page.getByLabel('Name, to know it by').fill('second');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const token = await shown(page, 'Your network token');
    await mcpClient(hub.url, token).call('report_status', { resume_id: 'r2', alias: 'worker-2', status: 'idle' });
    await page.getByText('worker-2 is connected').waitFor();
  });

  test('a task that is sent is seen to be delivered, run and answered', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.getByRole('button', { name: 'Send a task to worker-1' }).click();
    await page.getByLabel('Task', { exact: true }).fill('Count the chairs');
    await page.getByRole('radio', { name: 'High' }).check();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await taskRow(page, 'Count the chairs', 'Delivered').filter({ hasText: 'ada' }).filter({ hasText: 'High' }).waitFor();
    await agentRow(page, 'worker-1').getByText('1 message waits').waitFor();

    const message_id = textOf(listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages')[0] ?? {}, 'id');
    await agent.call('ack_inbox', { alias: 'worker-1', message_id });
    await taskRow(page, 'Count the chairs', 'Running').waitFor();
    await agent.call('send_reply', { alias: 'ada', text: 'Twelve chairs', in_reply_to: message_id, from_session: 'worker-1' });
    await taskRow(page, 'Count the chairs', 'Replied').getByRole('button').click();
    await page.getByRole('group', { name: 'Result', exact: true }).getByText('Twelve chairs').waitFor();
    await count(page, 'Replied', 1);
    await count(page, 'Running', 0);
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await agentRow(page, 'worker-1').getByText('1 message waits').waitFor({ state: 'detached' });
  });

  test('a task is cancelled, and sent again', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', { alias: 'worker-1', task: 'Paint the wall', from_session: 'boss' });
    await taskRow(page, 'Paint the wall', 'Delivered').getByRole('button').click();
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByLabel('Reason').fill('wrong wall');
    await page.getByRole('button', { name: 'Cancel this task' }).click();
    await taskRow(page, 'Paint the wall', 'Cancelled').waitFor();
    await page.getByRole('group', { name: 'Result', exact: true }).getByText('wrong wall').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await taskRow(page, 'Paint the wall', 'Delivered').waitFor();
  });

  test('a status is a filter that stands in the address', async () => {
    const { page, agent } = await signedIn();
    await agent.call('report_status', { resume_id: 'r1', alias: 'busy-bee', status: 'working' });
    await agent.call('report_status', { resume_id: 'r2', alias: 'lazy-dog', status: 'idle' });
    await agentRow(page, 'lazy-dog').waitFor();
    await page.getByRole('navigation', { name: 'Agents by status' }).getByRole('link', { name: 'Working' }).click();
    await agentRow(page, 'lazy-dog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?agents=working');
    await page.reload();
    await agentRow(page, 'busy-bee').waitFor();
    expect(await agentRow(page, 'lazy-dog').count()).toBe(0);
    await agent.call('report_status', { resume_id: 'r2', alias: 'lazy-dog', status: 'working' });
    await agentRow(page, 'lazy-dog').waitFor();
  });

  test('a wrong password is called wrong, and the right one opens', async () => {
    const { page } = await signedIn({ failures: ['401 /api/auth/login'] });
    await signOut(page);
    await page.getByText('You are signed out.').waitFor();
    await fillIn(page, 'ada', 'not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The username or the password is wrong.').waitFor();
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No agents yet').waitFor();
  });

  test('each field says what it lacks', async () => {
    const { page } = await emptyHub({ failures: ['400 /api/auth/register'] });
    await page.goto('/sign-up');
    await fillIn(page, '!', '123');
    await page.getByRole('button', { name: 'Create account' }).click();
    expect(await descriptionOf(page, 'Username')).toBe('Use 2 to 50 letters, digits, underscores or Chinese characters.');
    expect(await descriptionOf(page, 'Password')).toBe('Use at least 6 characters.');
  });

  test('a taken name is said at the name', async () => {
    const { page, hub } = await emptyHub({ failures: ['400 /api/auth/register'] });
    await register(hub.url, 'ada');
    await page.goto('/sign-up');
    await fillIn(page, 'Ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('This username is taken. Choose another.').waitFor();
    expect(await descriptionOf(page, 'Username')).toBe('This username is taken. Choose another.');
  });

  test('a session that has run out leads to the door with a word why, and back', async () => {
    const { page } = await signedIn({ failures: ['401 /api/status', '401 /api/tasks', '401 /api/networks', '401 /events'] });
    await page.evaluate(() => {
      const kept = sessionStorage.getItem('agenthub.account') ?? '';
      sessionStorage.setItem('agenthub.account', kept.replace(/utok_\w+/, 'utok_0000000000000000000000000000000DbaXY'));
    });
    await page.goto('/?tasks=failed');
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor();
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No task is “Failed”').waitFor();
    expect(new URL(page.url()).search).toBe('?tasks=failed');
  });

  test('only who asked to stay is still there in a new tab', async () => {
    const { page } = await signedIn();
    const kept = () => page.evaluate(() => [sessionStorage.length > 0, localStorage.getItem('agenthub.account') !== null]);
    expect(await kept()).toEqual([true, false]);
    await signOut(page);
    await page.getByLabel('Stay signed in on this device').check();
    await signIn(page);
    expect(await kept()).toEqual([false, true]);
  });

  test('a hub that goes away is missed, and found again with what it has to tell', async () => {
    const { page, hub, networkToken } = await signedIn({ failures: ['0 /events', '0 /api/status', '0 /api/tasks'] });
    await mcpClient(hub.url, networkToken).call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await agentRow(page, 'worker-1').filter({ hasText: 'Idle' }).waitFor();
    await hub.kill('SIGKILL');
    await page.getByText('The connection to the hub is lost.').waitFor();
    const again = await startHub({ target: 'binary', data: hub.data, args: ['--port', new URL(hub.url).port] });
    await mcpClient(again.url, networkToken).call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'blocked' });
    await agentRow(page, 'worker-1').filter({ hasText: 'Blocked' }).waitFor();
    expect(await page.getByText('The connection to the hub is lost.').count()).toBe(0);
  });

  test('what agents write is text and nothing else', async () => {
    const { page, agent } = await signedIn();
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>[a](javascript:alert(1))';
    await agent.call('report_status', { resume_id: 'r1', alias: `<b>${evil}</b>`.slice(0, 200), status: 'working', task: evil, agent: evil, model: evil, hostname: evil });
    await agent.call('send_task', { alias: '<i>x</i>', task: evil, from_session: '"><svg onload=alert(1)>' });
    await taskRow(page, '<img src=x', 'Delivered').getByRole('button').click();
    expect(await shown(page, 'Task')).toBe(evil);
    expect(await page.locator('main :is(img, script, iframe, b, i, a[href^="javascript"])').count()).toBe(0);
    expect(await page.title()).toBe('Live · agenthub');
  });

  test('language and theme are a choice that lasts', async () => {
    const { page } = await signedIn();
    await openMenu(page);
    await page.getByRole('radio', { name: '简体中文' }).check();
    await page.getByRole('radio', { name: '深色' }).check();
    await page.reload();
    await page.getByRole('heading', { name: '智能体', exact: true }).waitFor();
    expect(await page.evaluate(() => [document.documentElement.lang, getComputedStyle(document.documentElement).colorScheme])).toEqual(['zh-CN', 'dark']);
  });

  test('nothing is wider than a small phone', async () => {
    const { page, agent } = await signedIn({ viewport: { width: 375, height: 812 } });
    expect(await overhang(page)).toBe(0);
    const long = 'x'.repeat(200);
    await agent.call('report_status', { resume_id: 'r1', alias: long, status: 'waiting_input', task: long, progress: 3, agent: long, model: long });
    await agent.call('send_task', { alias: long, task: long.repeat(9), from_session: long });
    await taskRow(page, 'xxx', 'Delivered').getByRole('button').click();
    expect(await overhang(page)).toBe(0);
    await page.getByRole('button', { name: 'Send a task', exact: true }).click();
    expect(await overhang(page)).toBe(0);
    await page.keyboard.press('Escape');
    await page.goto('/connect');
    await page.getByText('Waiting for an agent to report').waitFor();
    expect(await overhang(page)).toBe(0);
    await signOut(page);
    expect(await overhang(page)).toBe(0);
  });
});

type Scene = { page: Page; hub: RunningHub };

async function emptyHub(options?: PageOptions, args: string[] = []): Promise<Scene> {
  if (browser === undefined) throw new Error('there is no browser');
  const hub = await startHub({ target: 'binary', args });
  // A hub for a team has an address that is no loopback: over plain http a browser keeps some of its powers from such a page.
  const address = hub.url.replace('//localhost:', '//0.0.0.0:');
  return { hub, page: await openPage(browser, address, options) };
}

/** A hub with one user, ada, signed in on a live page that listens. */
async function signedIn(options?: PageOptions): Promise<Scene & { agent: McpClient; networkToken: string; userToken: string }> {
  const { page, hub } = await emptyHub(options);
  const { networkToken, userToken } = await register(hub.url, 'ada');
  await page.goto('/');
  await signIn(page);
  return { page, hub, networkToken, userToken, agent: mcpClient(hub.url, networkToken) };
}

async function signIn(page: Page): Promise<void> {
  await fillIn(page, 'ada', PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('No agents yet').waitFor();
}

async function fillIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

async function signOut(page: Page): Promise<void> {
  await openMenu(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function openMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account and settings' }).click();
}

/** A text that is shown whole, under its label. */
async function shown(page: Page, label: string): Promise<string> {
  return (await page.getByRole('group', { name: label, exact: true }).textContent()) ?? '';
}

function agentRow(page: Page, alias: string) {
  return page.getByRole('region', { name: 'Agents' }).getByRole('row').filter({ hasText: alias });
}

function taskRow(page: Page, content: string, status: string) {
  return page.getByRole('row').filter({ hasText: content }).filter({ hasText: status });
}

function count(page: Page, status: string, number: number): Promise<void> {
  return page.getByRole('navigation', { name: 'Tasks by status' }).getByRole('link', { name: `${number} ${status}` }).waitFor();
}

function descriptionOf(page: Page, label: string): Promise<string | null> {
  return page.getByLabel(label, { exact: true }).evaluate((field) => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent ?? null);
}
