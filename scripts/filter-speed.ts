// `npm run filter-speed [-- --agents 500 --tasks 10000]`: measures how long the console takes to show the result of a
// filter, in a real browser on a full hub: from the key press to the changed list in the page. Fails if the median of
// any filter exceeds the limit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';
import { DIST } from '../build/step.ts';
import { median } from './bench/median.ts';
import { commandLine, wholeNumber } from './command-line.ts';
import { openAccount } from './screenshots/account.ts';
import { SEEDED, seed } from './seed.ts';
import { launch } from './support/program.ts';

const LIMIT_MS = 100;
const ROUNDS = 5;
/** The page prefetches while it is idle. */
const READ_AHEAD_MS = 8_000;

type Step = { name: string; selector: string; value?: string };

const ON_TASKS: readonly Step[] = [
  { name: 'tasks by status', selector: '.counts a[data-status=failed]' },
  { name: 'tasks by status, removed', selector: '.counts a[data-status=failed]' },
  { name: 'tasks by text', selector: '[data-search]', value: 'parser' },
  { name: 'tasks by more text', selector: '[data-search]', value: 'parser that accepts' },
  { name: 'tasks by text, removed', selector: '[data-search]', value: '' },
  { name: 'tasks by priority', selector: 'search select >> nth=0', value: 'low' },
  { name: 'tasks by age too', selector: 'search select >> nth=1', value: 'over-1h' },
  { name: 'tasks, all filters removed', selector: 'search a.button:not(.button-icon)' },
];
const ON_AGENTS: readonly Step[] = [
  { name: 'agents by status', selector: '.counts a[data-status=working]' },
  { name: 'agents by status, removed', selector: '.counts a[data-status=working]' },
  { name: 'agents by text', selector: '[data-search]', value: 'tester' },
  { name: 'agents by text, removed', selector: '[data-search]', value: '' },
];

const size = commandLine(
  'filter-speed',
  'Measures how long the console takes to show the result of a filter, in a real browser on a full hub.',
)
  .option('--agents <number>', 'number of agents', wholeNumber, 500)
  .option('--tasks <number>', 'number of tasks', wholeNumber, 10_000)
  .parse()
  .opts<{ agents: number; tasks: number }>();
const data = mkdtempSync(join(tmpdir(), 'agenthub-filter-speed-'));
await seed(data, { ...size, hours: 26 });
const hub = await launch({ file: join(DIST, 'agenthub'), args: ['serve', '--port', '0', '--data', data] });
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({ baseURL: hub.url, viewport: { width: 1440, height: 900 }, locale: 'en-US' });
const { kept } = await openAccount(hub.url, SEEDED, 'full');
await page.addInitScript((account) => sessionStorage.setItem('agenthub.account', account), kept);
const times: { name: string; ms: number }[] = [];
try {
  times.push(...(await walk(page, '/tasks', ON_TASKS)), ...(await walk(page, '/agents', ON_AGENTS)));
} finally {
  await browser.close();
  await hub.kill();
  rmSync(data, { recursive: true, force: true });
}
for (const { name, ms } of times) process.stdout.write(`${String(Math.round(ms)).padStart(5)} ms  ${name}\n`);
process.exit(times.every(({ ms }) => ms <= LIMIT_MS) ? 0 : 1);

async function walk(on: Page, path: string, steps: readonly Step[]): Promise<{ name: string; ms: number }[]> {
  await on.goto(path);
  await on.locator('main .row-link').first().waitFor();
  await on.waitForTimeout(READ_AHEAD_MS);
  const found = new Map<string, number[]>(steps.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const step of steps) found.get(step.name)?.push(await timed(on, step));
  }
  return [...found].map(([name, all]) => ({ name, ms: median(all) }));
}

/** Measures the time from the event to the changed list. */
async function timed(on: Page, { name, selector, value }: Step): Promise<number> {
  const control = on.locator(selector).first();
  await control.waitFor();
  const ms = await control.evaluate(
    (element, { wanted, step }) =>
      new Promise<number>((resolve, reject) => {
        const main = document.querySelector('main');
        const list = () =>
          [...document.querySelectorAll('main .row-link')].map(({ textContent }) => textContent).join('\n');
        if (!(element instanceof HTMLElement) || main === null) return reject(new Error(`control not found: ${step}`));
        const before = list();
        const start = performance.now();
        const watcher = new MutationObserver(() => {
          if (list() === before) return;
          watcher.disconnect();
          resolve(performance.now() - start);
        });
        setTimeout(() => reject(new Error(`the list did not change: ${step}`)), 10_000);
        watcher.observe(main, { subtree: true, childList: true, characterData: true });
        if (wanted === undefined) return element.click();
        if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) element.value = wanted;
        element.dispatchEvent(new Event(element instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
      }),
    { wanted: value, step: name },
  );
  await on.waitForTimeout(400);
  return ms;
}
