import { describe, test } from 'vitest';
import { browser, isLive, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('shots', () => {
  for (const [name, options] of Object.entries({
    light: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', locale: 'zh-CN' },
    phone: { viewport: { width: 375, height: 812 }, colorScheme: 'light' },
  } as const))
    test(name, async () => {
      const { page, agent } = await signedIn({ ...options, failures: ['500 /api/tasks'] });
      for (const alias of ['worker-1', 'worker-2', 'a-builder-with-a-rather-long-name'])
        await agent.call('report_status', { resume_id: alias, alias, status: 'idle' });
      const shot = (what: string) => page.screenshot({ path: `/tmp/steer/${name}-${what}.png` });
      await page.goto('/tasks');
      await isLive(page);
      await page.waitForTimeout(500);
      await shot('tasks');
      await page.keyboard.press('n');
      await page.locator('#send-text').fill('Review {{branch}} and say whether {{reason}} holds');
      await shot('send');
      await page.locator('.templates-line .button').click();
      await page.locator('#template-name').fill('Review a branch');
      await shot('save-template');
      await page.keyboard.press('Enter');
      await page.locator('.recipients-line .button-quiet').click();
      let n = 0;
      await page.route('**/api/tasks', (route) =>
        route.request().method() === 'POST' && n++ < 2
          ? route.fulfill({ status: 500, json: { ok: false, error: 'internal_error', message: 'no' } })
          : route.continue(),
      );
      await page.locator('dialog [type=submit]').click();
      await shot('several');
      await page.locator('#placeholder-0').fill('main');
      await page.locator('#placeholder-1').fill('it');
      await page.locator('dialog [type=submit]').click();
      await page.locator('dialog .notice').waitFor();
      await shot('failed');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.waitForTimeout(300);
      await shot('palette');
    });
});
