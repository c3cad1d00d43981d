// What has been shown stays where it is while the rest of a page loads, so that a click hits what it was meant for.
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../console/routes.ts';
import { textOf } from '../support/json.ts';
import { browser, signedIn } from './fixture.ts';

/** What web vitals call good; 0.1 of the window moved by its whole height would be 0.1. */
const MAX_SHIFT = 0.1;
const WIDTHS = [1280, 375] as const;

describe.skipIf(browser === undefined)('while it loads, little moves', () => {
  test.each(WIDTHS)('on any page, at %i px', async (width) => {
    const { page, agent, networkId } = await signedIn({ viewport: { width, height: 900 } });
    await agent.call('report_status', { resume_id: 'b', alias: 'builder', status: 'working' });
    const sent = await agent.call('send_task', { alias: 'builder', task: 'Build it.' });
    await page.addInitScript(() => {
      const seen = globalThis as { shifted?: number };
      seen.shifted = 0;
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          seen.shifted = (seen.shifted ?? 0) + ('value' in entry ? Number(entry.value) : 0);
      });
      observer.observe({ type: 'layout-shift', buffered: true });
    });
    const of: Record<string, string> = {
      network_id: networkId,
      alias: 'builder',
      task_id: textOf(sent, 'task_id'),
      message_id: textOf(sent, 'message_id'),
    };
    const paths = ROUTES.map(({ path }) => path.replace(/:(\w+)/, (_, name: string) => of[name] ?? ''));
    const shifts: [string, number | undefined][] = [];
    for (const path of paths) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
      await expect.poll(() => page.locator('.skeleton, .figures-room').count()).toBe(0);
      shifts.push([path, await page.evaluate(() => (globalThis as { shifted?: number }).shifted)]);
    }
    expect(shifts.filter(([, shift]) => shift === undefined || shift > MAX_SHIFT)).toEqual([]);
  });
});
