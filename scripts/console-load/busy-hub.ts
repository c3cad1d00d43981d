// The console while agents work: half of the time on the list of tasks, then on every page in turn, without a reload.
import type { Page } from 'playwright-core';
import { type Browsers, openConsole, type Sample, type SignedIn } from './browsers.ts';

/** The pages with live data. `:task` is the task sent last. */
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/'],
  ['agents', '/agents'],
  ['agent', '/agents/agent-1'],
  ['tasks', '/tasks'],
  ['tasks, filtered', '/tasks?status=running'],
  ['board', '/tasks?view=board'],
  ['task', '/tasks/:task'],
  ['messages', '/messages'],
  ['sequence', '/sequence'],
  ['figures', '/agents?view=figures'],
];
const LONGEST_MS = 10_000;
const SETTLE_MS = 1_000;

/** The first and the last sample are of the list of tasks, so that their memory can be compared. */
export async function measureBusyHub(
  browsers: Browsers,
  account: SignedIn,
  seconds: number,
  latestTask: () => string,
): Promise<Sample[]> {
  const { page, measure, close } = await openConsole(browsers, account);
  const samples: Sample[] = [];
  const [started, all] = [performance.now(), seconds * 1_000];
  const left = (part: number) => started + all * part - performance.now();
  const sampleMs = Math.min(LONGEST_MS, all / 2 / PAGES.length);
  await page.goto('/tasks');
  await page.locator('.task-list .row').first().waitFor();
  while (left(0.5) > 0) samples.push(await measure('tasks, for long', sampleMs));
  do {
    for (const [name, path] of PAGES) {
      await goTo(page, path.replace(':task', latestTask()));
      samples.push(await measure(name, sampleMs));
    }
  } while (left(1) > sampleMs * PAGES.length);
  await goTo(page, '/tasks');
  do samples.push(await measure('tasks, for long', sampleMs));
  while (left(1) > 0);
  await close();
  return samples;
}

/** Follows a link inside the console. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href });
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
  await page.waitForTimeout(SETTLE_MS);
}
