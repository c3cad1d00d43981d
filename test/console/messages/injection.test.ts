import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../support/json.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';

/** Known injection vectors: tags, attributes, URLs, entities, encodings and templates. */
const CORPUS = [
  '<script>window.hit=1</script>',
  '<img src=x onerror="window.hit=1">',
  '"><svg onload=window.hit=1>',
  "'><iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  '<a href="javascript:window.hit=1">click</a>',
  '[click](javascript:window.hit=1) ![x](https://elsewhere.example/x.png)',
  '<style>*{background:url(https://elsewhere.example/)}</style>',
  '<link rel=stylesheet href=https://elsewhere.example/x.css>',
  '<base href="https://elsewhere.example/">',
  '<form action="https://elsewhere.example"><input name=token></form>',
  '<math><mtext></mtext><mglyph><style></math><img src onerror=window.hit=1>',
  '&lt;script&gt;window.hit=1&lt;/script&gt; &#60;img src=x onerror=window.hit=1&#62;',
  '{{constructor.constructor("window.hit=1")()}} ${window.hit=1} <%= 1 %>',
  '</textarea></title></pre><script>window.hit=1</script>',
  '```html\n<script>window.hit=1</script>\n``` `<b>x</b>` ~~~\n<img src=x onerror=window.hit=1>',
  '\u202Egnp.exe\u2066 \u0001\u001b[31mred\u001b[0m \ufeff',
  'https://elsewhere.example/follow-me mailto:x@elsewhere.example //elsewhere.example',
  '[x](data:text/html,<script>window.hit=1</script>) [y](vbscript:x) <javascript:window.hit=1> [z](JaVaScRiPt&colon;x)',
  '[a]: javascript:window.hit=1\n\n[a] [b][a] ![c][a]',
  '![x](https://elsewhere.example/x.png "onerror=window.hit=1") [![y](//elsewhere.example/y.svg)](javascript:z)',
  '> <details open ontoggle=window.hit=1><summary>q</summary>\n\n- <img src=x onerror=window.hit=1>',
  '| <svg/onload=window.hit=1> | `<b>` |\n|-|-|\n| [c](javascript:window.hit=1) | <b>d</b> |',
  '# <script>window.hit=1</script>\n\n<b>heading</b>\n===',
  'Look at this code:\n```html" onload="window.hit=1\n</code></pre><script>window.hit=1</script>\n```',
  'Look at this diff:\n```diff\n+<script>window.hit=1</script>\n-<img src=x onerror=window.hit=1>\n```',
  'Look at this link: \u001b]8;;javascript:window.hit=1\u0007click\u001b]8;;\u0007 \u001b[31m<b>red</b>\u001b[0m \u001b[8mhidden',
  '{"__proto__": {"dangerouslySetInnerHTML": {"__html": "<img src=x onerror=window.hit=1>"}}}',
  '**<b>x</b>** _[y](https://user:pass@elsewhere.example)_ ~~<iframe src=//elsewhere.example>~~',
  'Look at these tasks:\n- [x] <input onfocus=window.hit=1 autofocus>\n- [ ] [z](/api/auth/login "title")',
  '<x-y onclick=window.hit=1 style="position:fixed;inset:0">cover</x-y>',
] as const;

const MARKUP =
  'main :is(script, img, iframe, object, embed, link, style, base, form:not([novalidate]), b, x-y, math, svg:not(.icon, .logo), [onclick], [onerror], [onload], [ontoggle], [autofocus])';
/** Links of the console lead to itself. Those in texts say what they open, and open it in a tab without a referrer. */
const OTHER_LINKS = 'main a:not([href^="/"], [href^="#"], .web-link[href^="https://"][target][rel~="noreferrer"])';

describe.skipIf(browser === undefined)('text from agents', () => {
  test('runs and loads nothing on any page, and is readable', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    const ids = await Promise.all(CORPUS.map((text, index) => writeEverywhere(fixture, text, index)));
    for (const path of ['/', '/agents', '/tasks', '/tasks?view=board', '/messages', '/agents/agent-0'])
      await visit(page, path);
    for (const index of CORPUS.keys())
      await follow(
        page,
        `/agents/agent-${index}`,
        page.getByRole('heading', { level: 1, name: `agent-${index}`, exact: true }),
      );
    await visit(page, `/tasks/${ids[0]}`);
    for (const [index, id] of ids.entries()) {
      await follow(page, `/tasks/${id}`, page.getByText(id, { exact: true }).first());
      const shown = (await page.getByRole('group', { name: 'Task', exact: true }).textContent()) ?? '';
      expect(lettersOf(shown), CORPUS[index]).toContain(lettersOf(CORPUS[index] ?? '').slice(0, 12));
    }
  });
});

async function writeEverywhere({ agent }: SignedIn, text: string, index: number): Promise<string> {
  const alias = `agent-${index}`;
  const short = text.slice(0, 190);
  await agent.call('report_status', {
    resume_id: `r${index}`,
    alias,
    status: 'working',
    task: text,
    output: text,
    agent: short,
    model: short,
    hostname: short,
    server: short,
    project_dir: short,
  });
  await agent.call('report_status', { resume_id: `e${index}`, alias: `${index} ${short}`, status: 'idle' });
  await agent.call('report_completion', { alias, task: text, result: text });
  await agent.call('send_message', { alias, message: text, from_session: short });
  const sent = await agent.call('send_task', { alias, task: text, context: text, from_session: short });
  await agent.call('send_reply', { alias, text, in_reply_to: textOf(sent, 'task_id'), from_session: alias });
  return textOf(sent, 'task_id');
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main h1').first().waitFor();
  await expectHarmless(page, path);
}

/** Changes the page without loading the document again, as a link does. */
async function follow(page: Page, path: string, shown: Locator): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await shown.waitFor();
  await expectHarmless(page, path);
}

async function expectHarmless(page: Page, path: string): Promise<void> {
  await page.waitForFunction(() => document.querySelector('main .skeleton') === null);
  expect(await page.locator(`${MARKUP}, ${OTHER_LINKS}`).count(), path).toBe(0);
  expect(await page.evaluate(() => Reflect.get(window, 'hit')), path).toBeUndefined();
}

/** Fences, quotes and terminal styles become elements; all other characters are kept. */
function lettersOf(text: string): string {
  return text
    .replace(/\u001b\[[\d;]*m/g, '')
    .replace(/[^\p{L}\p{N}<>=]/gu, '')
    .replace(/^(?:html|>)/, '');
}
