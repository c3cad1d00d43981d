import { describe, expect, test } from 'vitest';
import { browser, searchOf, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('a search field', () => {
  test.each(['/search', '/agents', '/tasks'])('keeps every key that is typed without a pause, on %s', async (path) => {
    const { page, agent } = await signedIn();
    for (let n = 1; n <= 30; n++) {
      await agent.call('report_status', { resume_id: `r${n}`, alias: `stripe-${n}`, status: 'idle' });
      await agent.call('send_task', { alias: `stripe-${n}`, task: 'Replace the stripe test key' });
    }
    await page.goto(path);
    const field = page.getByRole('searchbox').first();
    for (const [typed, shown] of [
      ['stripe test key', 'stripe test key'],
      ['s', 'stripe test keys'],
      [' and more', 'stripe test keys and more'],
    ] as const) {
      await field.focus();
      await page.keyboard.type(typed);
      await expect.poll(() => searchOf(page)).toBe(`?${new URLSearchParams({ text: shown }).toString()}`);
      expect(await field.inputValue()).toBe(shown);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => searchOf(page)).toBe('');
    expect(await field.inputValue()).toBe('');
  });

  test('keeps a trailing space, and follows the back button', async () => {
    const { page } = await signedIn();
    await page.goto('/agents?text=one');
    await page.goto('/agents?text=two');
    const field = page.getByRole('searchbox').first();
    await field.press('End');
    await page.keyboard.type(' ');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('s ');
    await expect.poll(() => searchOf(page)).toBe('?text=twos');
    expect(await field.inputValue()).toBe('twos ');
    await page.evaluate(() => history.pushState(null, '', '/agents?text=three'));
    await page.goBack();
    await page.goForward();
    await expect.poll(() => field.inputValue()).toBe('three');
  });
});
