// Checks pages for accessibility violations with axe-core.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { ROUTES } from '../../console/routes.ts';
import type { SignedIn } from './fixture.ts';

/** The rules whose result depends on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function auditAll({ page, networkId }: SignedIn, task_id: string): Promise<void> {
  const paths = ROUTES.map(({ path }) =>
    path
      .replace(':alias', 'worker-1')
      .replace(':task_id', task_id)
      .replace(':network_id', networkId)
      .replace(':message_id', task_id),
  );
  const states = [
    '/tasks?view=board',
    '/tasks?status=failed&dialog=filters',
    '/tasks?dialog=export-tasks',
    '/search?text=paint',
    '/search?text=zebra',
    `/search?text=${task_id}`,
    '/nowhere',
    '/networks?dialog=join',
    `/networks/${networkId}?dialog=invite`,
    `/networks/${networkId}?dialog=delete`,
    `/networks/${networkId}?dialog=notifier`,
    '/profile?dialog=notifier',
    '/tokens?dialog=new',
    '/messages?of=worker-1&kind=reply',
    '/admin?tab=statistics',
    '/admin?tab=diagnostics',
    '/admin?tab=audit',
  ];
  for (const path of [...paths, ...states]) await auditPage(page, path);
}

/** Other states of these pages than in a wide window: wrapped links, and names above each other. */
export async function auditNarrow({ page }: SignedIn, task_id: string): Promise<void> {
  for (const width of [800, 375]) {
    await page.setViewportSize({ width, height: 812 });
    for (const path of [
      '/agents',
      '/agents/worker-1',
      '/sequence',
      '/messages?of=worker-1',
      `/tasks/${task_id}`,
      '/search?text=paint',
      '/admin?tab=audit',
    ])
      await auditPage(page, path);
  }
}

export async function auditPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('main :is(h1, .empty)').first().waitFor();
  await page.waitForFunction(() => document.querySelector('main .skeleton') === null);
  await audit(page, path);
}

/** Checks all rules in light mode, and those about colors in dark mode too. Animations are disabled meanwhile. */
export async function audit(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  await page.evaluate(AXE);
  expect.soft(await violationsOf(page), where).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect.soft(await violationsOf(page, COLOR_RULES), `${where}, in dark mode`).toEqual([]);
}

function violationsOf(page: Page, only?: string[]): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const axe: {
      run(options: {
        resultTypes: ['violations'];
        runOnly?: string[];
        rules: Record<string, { enabled: boolean }>;
      }): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
    } = Reflect.get(window, 'axe');
    // axe takes a link that is scrolled behind the sticky names for a smaller one.
    document.querySelector('.sequence .log')?.scrollTo(0, 0);
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      ...(rules && { runOnly: rules }),
      rules: { 'target-size': { enabled: rules === undefined } }, // axe runs it only on request
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`),
    );
  }, only);
}
