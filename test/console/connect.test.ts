import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DIST } from '../../build/step.ts';
import { CLIENTS, CONNECT_NAMES } from '../../server/domain/clients/clients.ts';
import type { Setup } from '../../server/domain/clients/setup.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { legacyPost, send, TAKES_JSON } from '../support/http/mcp-posts.ts';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { listOf, objectIn, textOf } from '../support/json.ts';
import { newCli } from '../support/process/command-line.ts';
import { setupTokenOf, temporaryDirectory } from '../support/process/running-hub.ts';
import { audit } from './accessibility.ts';
import { agentRow, browser, emptyHub, fillIn, goTo, runUntil, shown, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('connecting an agent', () => {
  test('after registration a reporting agent appears on the page without a reload', async () => {
    const { page, hub } = await emptyHub();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Set up this hub' }).waitFor();
    await fillIn(page, 'ada', PASSWORD);
    const isLoaded = agentsOf(page);
    await page.getByRole('button', { name: 'Create account' }).click();

    await page.getByRole('heading', { name: 'Welcome, ada' }).waitFor();
    const token = await shown(page, 'Your network token');
    expect(token).toMatch(/^ntok_[0-9A-Za-z]{36}$/);
    expect(await shown(page, 'Claude Code')).toBe(
      connectLines(hub.url, token, 'agenthub connect claude --hooks --write --alias worker-1'),
    );
    await page.getByText('Waiting for your agent').waitFor();
    await isLoaded;

    await mcpClient(hub.url, token).call('report_status', {
      resume_id: 'r1',
      alias: 'worker-1',
      status: 'working',
      task: 'Sweep the floor',
      progress: 40,
    });
    await page.getByText('worker-1 is connected').waitFor();
    await page.getByRole('link', { name: 'Go to overview' }).click();
    await goTo(page, 'Agents');
    await agentRow(page, 'worker-1')
      .filter({ hasText: 'Working' })
      .filter({ hasText: 'Sweep the floor' })
      .filter({ hasText: '40%' })
      .waitFor();
  });

  test('the first task is sent and its reply shown on the same page', async () => {
    const { page, agent } = await signedIn();
    await goTo(page, 'Connect');
    await page.getByText('Connect an agent first.').waitFor();
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.getByRole('button', { name: 'Send to worker-1' }).waitFor();
    await page.locator('#first-task').press('Control+Enter');
    await page.getByText('Task sent:').waitFor();
    const [mail] = listOf(await agent.call('get_inbox', { alias: 'worker-1' }), 'messages');
    const message_id = textOf(mail ?? {}, 'id');
    await agent.call('ack_inbox', { alias: 'worker-1', message_id });
    await page.getByText('Running').waitFor();
    await agent.call('send_reply', {
      alias: 'ada',
      text: 'I am a worker',
      in_reply_to: message_id,
      from_session: 'worker-1',
    });
    await page.getByRole('group', { name: 'Result' }).getByText('I am a worker').waitFor();
  });

  test('an agent that follows its prompt takes the first task without further instructions', async () => {
    const { page, agent, hub, networkToken } = await signedIn();
    await goTo(page, 'Connect');
    await page.getByRole('radio', { name: 'Without hooks' }).check();
    const prompt = await shown(page, 'Then give the agent this prompt:');
    expect(prompt).toContain('call get_inbox again, and keep waiting');
    const wait_seconds = Number(/get_inbox with wait_seconds (\d+)/.exec(prompt)?.[1]);
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    const call = legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'worker-1', wait_seconds } });
    const waiting = send(hub.url, networkToken, call, TAKES_JSON);
    await page.getByRole('button', { name: 'Send to worker-1' }).click();
    const in_reply_to = /task_[0-9A-Za-z]+/.exec(await (await waiting).text())?.[0];
    await agent.call('send_reply', { alias: 'ada', text: 'Done', in_reply_to, from_session: 'worker-1' });
    await page.getByRole('group', { name: 'Result' }).getByText('Done').waitFor();
  });

  test('the steps are remembered after a reload, until another agent is connected', async () => {
    const { page, agent } = await signedIn();
    await goTo(page, 'Connect');
    await page.getByRole('button', { name: 'Create token' }).click();
    await shown(page, 'Your network token');
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.getByRole('button', { name: 'Send to worker-1' }).click();
    await page.getByText('Task sent:').waitFor();
    await page.reload();
    await page.getByText('worker-1 is connected').waitFor();
    await page.getByText('You have created a token.').waitFor();
    await page.getByText('Task sent:').waitFor();
    await expect.poll(() => page.locator('.guide-step[data-state="done"]').count()).toBe(4);
    await page.getByRole('button', { name: 'Connect another agent' }).click();
    await page.getByText('Waiting for your agent').waitFor();
    await agent.call('report_status', { resume_id: 'r2', alias: 'worker-2', status: 'idle' });
    await page.getByText('worker-2 is connected').waitFor();
  });

  test('after 10 seconds without progress the page says why and what helps', async () => {
    const { page, hub } = await signedIn();
    await page.clock.install();
    await goTo(page, 'Connect');
    await runUntil(page, page.getByText('the configuration still contains a placeholder'));
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shown(page, 'Your network token');
    await runUntil(page, page.getByText('no request with your token has reached the hub'));
    await audit(page, 'a connect page without progress');
    const agent = mcpClient(hub.url, token);
    await agent.call('get_all_status', {});
    await runUntil(page, page.getByText('but has not reported'));
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker-1', status: 'idle' });
    await page.getByText('but has not reported').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send to worker-1' }).click();
    await runUntil(page, page.getByText('Give the agent the prompt again'));
    await page.getByText('worker-1 is idle.').waitFor();
    await audit(page, 'a connect page whose task is not taken');
  });

  test('each client has its own configuration with token and alias filled in', async () => {
    const { page, hub } = await signedIn();
    await goTo(page, 'Connect');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shown(page, 'Your network token');
    await page.getByLabel('Agent alias').fill("o'neill");
    const withHooks = page.getByRole('radio', { name: 'With hooks (recommended)' });
    const lines: Record<string, string> = {};
    for (const [name, { title, hook }] of [...connectable(), ...EXAMPLES]) {
      await page.getByRole('radio', { name: title, exact: true }).check();
      expect(await withHooks.count()).toBe(hook === undefined ? 0 : 1);
      if (hook !== undefined) {
        await withHooks.check();
        expect(await shown(page, title)).toBe(
          connectLines(hub.url, token, `agenthub connect ${name} --hooks --write --alias 'o'\\''neill'`),
        );
        await page.getByRole('radio', { name: 'Without hooks' }).check();
      }
      lines[name] = await shown(page, title);
      expect(lines[name]).toContain(`${hub.url}/mcp`);
      expect(lines[name]?.includes(token)).toBe(title !== 'VS Code'); // it asks for the token
    }
    for (const client of ['cursor', 'qwen', 'copilot'])
      expect(objectIn(lines[client] ?? '')).toHaveProperty('mcpServers.hub.headers.Authorization', `Bearer ${token}`);
    expect(objectIn(lines['opencode'] ?? '')).toHaveProperty('mcp.hub.url', `${hub.url}/mcp`);
    expect(objectIn(lines['vscode'] ?? '')).toMatchObject({
      servers: { hub: { type: 'http' } },
      inputs: [{ id: 'hub', password: true }],
    });
    expect(lines['curl']).toContain(String.raw`"alias":"o'\''neill"`);
    expect(new URL(page.url()).search).toBe('?alias=o%27neill&client=typescript&hooks=no');
  });

  test.each([
    [
      'Codex CLI',
      'New mail wakes an idle session in a terminal, at the latest once it has had a prompt.',
      'Call get_inbox, complete each task',
    ],
    ['Qwen Code', /^New mail wakes an idle session through a background shell/, 'Call get_inbox, complete each task'],
    ['Gemini CLI', /cannot be woken.*agenthub work --alias worker-1 --hub \S+ -- gemini$/, 'keep waiting for tasks'],
    ['Cursor', /cannot be woken.*in its next turn\.$/, 'keep waiting for tasks'],
    ['VS Code', /cannot be woken.*when it calls get_inbox\.$/, 'keep waiting for tasks'],
  ])('the page says how %s is woken, and its prompt fits', async (client, sentence, prompt) => {
    const { page } = await signedIn();
    await goTo(page, 'Connect');
    await page.getByRole('radio', { name: client }).check();
    await page.getByText(sentence).waitFor();
    expect(await shown(page, 'Then give the agent this prompt:')).toMatch(prompt);
    await audit(page, `the connect page for ${client}`);
  });

  test('the recommended line connects the client', async () => {
    const { page } = await signedIn();
    await page.goto('/connect?client=qwen&alias=o%27neill');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shown(page, 'Your network token');
    await expect.poll(() => shown(page, 'Qwen Code')).toContain(token);
    const { home, env } = newCli('binary');
    mkdirSync(join(home, 'bin'));
    symlinkSync(join(DIST, 'agenthub'), join(home, 'bin', 'agenthub'));
    const PATH = `${join(home, 'bin')}:${env['PATH']}`;
    execFileSync('sh', ['-c', await shown(page, 'Qwen Code')], { cwd: home, env: { ...env, PATH } });
    const settings = readFileSync(join(home, '.qwen/settings.json'), 'utf8');
    expect(settings).toContain(`hook qwen --alias 'o'\\\\''neill'`);
    expect(settings).toContain(token);
  });

  test('the TypeScript example runs unchanged and replies to a task', async () => {
    const { page, hub, agent, userToken } = await signedIn();
    await page.goto('/connect?client=typescript&alias=scripted');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shown(page, 'Your network token');
    await expect.poll(() => shown(page, 'TypeScript')).toContain(token);
    const file = join(temporaryDirectory(), 'agent.mts');
    writeFileSync(file, await shown(page, 'TypeScript'));
    const running = spawn(process.execPath, [file], { stdio: 'inherit' });
    onTestFinished(() => void running.kill());
    await page.getByText('scripted is connected').waitFor();
    const sent = await agent.call('send_task', { alias: 'scripted', task: 'Say hello', from_session: 'ada' });
    const path = `/api/tasks/${textOf(sent, 'task_id')}`;
    await expect
      .poll(async () => (await restClient(hub.url, userToken).get(path)).body)
      .toMatchObject({ task: { status: 'replied', result: 'Done: Say hello' } });
  });

  test('on a non-loopback hub the printed setup link works, and copying works without HTTPS', async () => {
    const { page, hub } = await emptyHub({}, ['--host', '0.0.0.0']);
    await page.goto(`/#setup=${await setupTokenOf(hub)}`);
    await page.getByRole('heading', { name: 'Set up this hub' }).waitFor();
    expect(page.url()).not.toContain('setup=');
    await fillIn(page, 'ada', PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    const token = await shown(page, 'Your network token');
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByRole('button', { name: 'Copy: Your network token' }).click();
    await page.getByText('Copied').first().waitFor();
    await page.getByLabel('Agent alias').fill('');
    await page.getByLabel('Agent alias').press('Control+V');
    await expect.poll(() => page.getByLabel('Agent alias').inputValue()).toBe(token);
  });

  test('the copied curl commands work', async () => {
    const { page, hub } = await emptyHub();
    await page.goto('/sign-up');
    await fillIn(page, 'ada', PASSWORD);
    const isLoaded = agentsOf(page);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('radio', { name: 'curl' }).check();
    const line = await shown(page, 'curl');
    expect(line).toContain(`curl ${hub.url}/mcp `);
    await isLoaded;
    await runLine(line);
    await page.getByText('worker-1 is connected').waitFor();
    await page.getByRole('button', { name: 'Send to worker-1' }).click();
    await runLine(await shown(page, 'To reply manually:'));
    await page.getByText('Task settled:').waitFor();
    await page.getByRole('group', { name: 'Result' }).getByText('sent with curl').waitFor();
    expect(await page.getByText('To reply manually:').count()).toBe(0);
  });

  test('another token can be created for another agent', async () => {
    const { page, hub } = await signedIn();
    await goTo(page, 'Connect');
    await page.getByLabel('Token name').fill('second');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shown(page, 'Your network token');
    await mcpClient(hub.url, token).call('report_status', { resume_id: 'r2', alias: 'worker-2', status: 'idle' });
    await page.getByText('worker-2 is connected').waitFor();
  });
});

const connectLines = (url: string, token: string, command: string): string =>
  `AGENTHUB_URL=${url} \\\nAGENTHUB_TOKEN=${token} \\\n${command}`;

const connectable = () => CONNECT_NAMES.map((name): [string, Setup] => [name, CLIENTS[name].setup]);

const EXAMPLES: readonly [string, { title: string; hook?: undefined }][] = [
  ['curl', { title: 'curl' }],
  ['typescript', { title: 'TypeScript' }],
];

/** An agent that reports before the page knows all others does not count as new. */
async function agentsOf(page: Page): Promise<void> {
  await page.waitForResponse((response) => new URL(response.url()).pathname === '/api/status');
}

/** Sends the request of a curl command, for machines without curl. */
async function runLine(line: string): Promise<void> {
  const [url, token, body] = [
    /curl (\S+)/.exec(line)?.[1],
    /Bearer (ntok_\w+)/.exec(line)?.[1],
    /-d '([^']+)'/.exec(line)?.[1],
  ];
  await fetch(url ?? '', {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body ?? '',
  });
}
