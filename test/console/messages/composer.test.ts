import { describe, expect, test } from 'vitest';
import { browser, isLive, signedIn } from '../fixture.ts';

describe.skipIf(browser === undefined)('the composer of the messages page', () => {
  test('is never addressed to the person', async () => {
    const { page } = await signedIn();
    await page.goto('/messages?of=ada');
    await isLive(page);
    await page.getByRole('radio', { name: 'Message' }).and(page.locator(':checked')).waitFor();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('');
    await page.goto('/tasks?to=ada');
    await page.getByRole('button', { name: 'Send a task', exact: true }).click();
    expect(await page.getByRole('dialog').getByLabel('To', { exact: true }).inputValue()).toBe('');
  });

  test('is left with Esc', async () => {
    const { page } = await signedIn();
    await page.goto('/messages?of=builder');
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Paint');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
});
