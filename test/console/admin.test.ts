import { describe, expect, test } from 'vitest';
import { overhang } from './browser.ts';
import { browser, signedIn } from './fixture.ts';

describe.skipIf(browser === undefined)('the audit log', () => {
  test.each([
    { width: 375, isTable: false },
    { width: 800, isTable: false },
    { width: 1100, isTable: true },
  ])('breaks no word at $width px, as a table or as cards', async ({ width, isTable }) => {
    const { page } = await signedIn({ viewport: { width, height: 812 } });
    await page.goto('/admin?tab=audit');
    const action = page.getByRole('rowheader').filter({ hasText: 'User registered' });
    await action.waitFor();
    expect(await page.locator('.table-label').first().isVisible()).toBe(!isTable);
    // The longest word of the actions fits.
    expect((await action.boundingBox())?.width).toBeGreaterThan(110);
    expect(await overhang(page)).toBe(0);
    const clipped = await page.locator('.table').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(clipped).toBe(0);
  });
});
