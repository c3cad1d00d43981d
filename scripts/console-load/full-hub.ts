// The console on a hub with many tasks and agents: each page is loaded afresh and scrolled.
import type { Account } from '../screenshots/account.ts';
import { type Browsers, openConsole, type Sample } from './browsers.ts';

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['overview', '/'],
  ['agents', '/agents'],
  ['agent', '/agents/:alias'],
  ['tasks', '/tasks'],
  ['tasks, filtered', '/tasks?status=failed'],
  ['board', '/tasks?view=board'],
  ['task', '/tasks/:task_id'],
  ['messages', '/messages'],
  ['sequence', '/sequence'],
  ['figures', '/agents?view=figures'],
];
const LOAD_MS = 4_000;
const SCROLL_MS = 2_000;
const STEP_MS = 50;
const STEP_PX = 60;

export async function measureFullHub(browsers: Browsers, account: Account & { url: string }): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const [name, path] of PAGES) {
    const { page, measure, close } = await openConsole(browsers, account);
    await page.goto(path.replace(':alias', account.alias).replace(':task_id', account.task_id));
    await page.waitForTimeout(LOAD_MS);
    await page.mouse.move(700, 500);
    const scrolling = setInterval(() => void page.mouse.wheel(0, STEP_PX).catch(() => {}), STEP_MS);
    samples.push(await measure(name, SCROLL_MS));
    clearInterval(scrolling);
    await close();
  }
  return samples;
}
