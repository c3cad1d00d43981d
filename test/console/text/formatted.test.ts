import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';

const REPORT = `# Fixed the **parser**

Two of three tests pass, see [the log](https://ci.example/runs/7).

- [x] nested lists
- [ ] tables
  1. wide ones

> It was the tokenizer.

| test | result |
|:-----|-------:|
| \`a\` | ok |

\`\`\`ts
const answer = 'as long as a line of code is that no small screen can hold without scrolling'; // 42
\`\`\`

\`\`\`diff
@@ -1 +1 @@
-const answer = 41;
+const answer = 42;
\`\`\`

\`\`\`
\u001b[1;32m✓\u001b[0m passed \u001b[41m FAIL \u001b[49m
\`\`\``;

describe.skipIf(browser === undefined)('a text from an agent', () => {
  test('is formatted, accessible and fits a phone', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await openResult(fixture, REPORT);
    const result = resultOf(page);
    await result.getByText('Fixed the parser').waitFor();
    expect(await result.locator('strong').allTextContents()).toEqual(['parser']);
    expect(await result.getByRole('list').count()).toBe(2);
    expect(await result.getByRole('img', { name: 'Done' }).count()).toBe(1);
    expect(await result.getByRole('cell').allTextContents()).toEqual(['a', 'ok']);
    expect(await result.locator('blockquote').textContent()).toBe('It was the tokenizer.');
    expect(await result.locator('.code-keyword').allTextContents()).toEqual(['const']);
    expect(await result.locator('[data-change=added]').textContent()).toBe('+const answer = 42;');
    expect(await result.locator('.ansi[data-color="2"]').textContent()).toBe('✓');
    await audit(page, 'a result');
    await page.goto('/messages');
    await page.getByRole('group', { name: 'Reply' }).getByText('nested lists').waitFor();
    await audit(page, 'a message');
    await page.setViewportSize({ width: 375, height: 812 });
    expect(await overhang(page)).toBeLessThanOrEqual(0);
  });

  test('has a title without marks everywhere', async () => {
    const { page, agent } = await signedIn();
    await agent.call('send_task', { alias: 'worker', task: '## Fix the `parser` **now**', from_session: 'ada' });
    for (const path of ['/tasks', '/tasks?view=board', '/']) {
      await page.goto(path);
      await page.getByRole('link', { name: 'Fix the parser now', exact: true }).first().waitFor();
    }
    await page.getByRole('link', { name: 'Fix the parser now', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Fix the parser now', exact: true }).waitFor();
    await page.waitForFunction(() => document.title.startsWith('Fix the parser now'));
  });

  test('that is long is shown whole on request', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    const long = Array.from({ length: 400 }, (_, n) => `- line ${n}`).join('\n');
    await openResult(fixture, long);
    const result = resultOf(page);
    await result.getByText('line 1', { exact: true }).waitFor();
    expect(await result.getByText('line 399').count()).toBe(0);
    await result.getByRole('button', { name: `Show all ${long.length.toLocaleString('en')} characters` }).click();
    await result.getByText('line 399').waitFor();
    await result.getByRole('button', { name: 'Show less' }).click();
    await result.getByText('line 399').waitFor({ state: 'detached' });
  });

  test('opens a link only when it is clicked, without a referrer or access to the page', async () => {
    const requests: { url: string | undefined; referrer: string | undefined }[] = [];
    const server = createServer(({ url, headers }, response) => {
      if (url === '/target') requests.push({ url, referrer: headers.referer });
      response.setHeader('Content-Type', 'text/html').end('<title>opened</title>');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const target = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/target`;
    const fixture = await signedIn();
    await openResult(fixture, `Look: [the log](${target}) ![picture](${target})`);
    const result = resultOf(fixture.page);
    const link = result.getByRole('link', { name: 'the log' });
    await link.hover();
    expect(await result.locator('.link-target').first().textContent()).toContain(target);
    expect(requests).toEqual([]);
    const [opened] = await Promise.all([fixture.page.waitForEvent('popup'), link.click()]);
    await opened.waitForFunction(() => document.title === 'opened');
    expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, '']);
    expect(requests).toEqual([{ url: '/target', referrer: undefined }]);
  });

  test('has artifacts that are links', async () => {
    const { page, agent } = await signedIn();
    const pull = 'https://git.example/acme/app/pull/12';
    await agent.call('report_status', { resume_id: 'r1', alias: 'worker', status: 'idle' });
    await agent.call('report_completion', {
      alias: 'worker',
      task: 'Fix the parser',
      result: REPORT,
      artifacts: [pull, 'branch: fix/parser', 'notes.md', 'javascript:alert(1)'],
    });
    await page.goto('/agents/worker');
    const completions = page.getByRole('region', { name: 'Completions' });
    await completions.getByRole('button', { name: /Show all/ }).click();
    await completions.getByText('It was the tokenizer.').waitFor();
    const links = completions.locator('.artifacts a');
    expect(await links.allTextContents()).toEqual(['Pull request acme/app#12', 'Branch fix/parser']);
    expect(await links.last().getAttribute('href')).toBe('https://git.example/acme/app/tree/fix/parser');
    await completions.getByText('notes.md').waitFor();
    await audit(page, 'completions');
  });
});

async function openResult({ page, agent }: SignedIn, text: string): Promise<void> {
  const sent = await agent.call('send_task', { alias: 'worker', task: 'Report', from_session: 'ada' });
  const task_id = textOf(sent, 'task_id');
  await agent.call('send_reply', { alias: 'ada', text, in_reply_to: task_id, from_session: 'worker' });
  await page.goto(`/tasks/${task_id}`);
}

function resultOf(page: Page) {
  return page.getByRole('group', { name: 'Result' });
}
