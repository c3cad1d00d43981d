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

describe.skipIf(browser === undefined)('the diagnostics', () => {
  test.each([375, 1100])('show findings, sizes, the slowest requests and who uses the hub, at %i px', async (width) => {
    const { page } = await signedIn({ viewport: { width, height: 812 } });
    await page.goto('/admin?tab=diagnostics');
    const findings = page.getByRole('table', { name: 'Findings' });
    await findings.getByRole('row').filter({ hasText: 'backups' }).getByText('there is no backup').waitFor();
    expect(await findings.getByText('set backup_schedule to a time').isVisible()).toBe(true);
    expect(
      await findings.getByText(`this request came from 127.0.0.1 for ${new URL(page.url()).host}`).isVisible(),
    ).toBe(true);
    expect(await findings.getByRole('row').filter({ hasText: /^data/ }).textContent()).toContain('agenthub-story-');
    await page.getByRole('table', { name: 'Slowest requests in the last hour' }).waitFor();
    await page.getByRole('table', { name: 'Tokens' }).getByText('(ada)').first().waitFor();
    await page.getByRole('table', { name: 'Networks' }).waitFor();
    const labels = [
      'Database',
      'Growth',
      'Free disk space',
      'Open files',
      'Event streams',
      'Event-loop lag',
      'Last backup',
      'Old data deleted',
    ];
    for (const label of [...labels, 'Tasks: kept for', 'Events: kept for', 'Completions', 'Nodes'])
      expect(await page.getByText(label, { exact: true }).isVisible(), label).toBe(true);
    expect(await page.locator('.stat').filter({ hasText: 'Events: kept for' }).textContent()).toMatch(/^24h|^1d/);
    expect(await overhang(page)).toBe(0);
  });
});
