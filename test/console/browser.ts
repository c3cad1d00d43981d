// A real browser for the console's tests, and pages that keep an eye on what must not happen in one.
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** A condition that has not come true by then will not, and says which one it was. */
const PATIENCE_MS = 20_000;

/** Without a graphics card: to pretend one takes the processor more than it draws. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu'];

/** Undefined, and a loud word, where no browser can start. */
export async function openBrowser(): Promise<Browser | undefined> {
  try {
    return await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: ARGUMENTS,
      env: withoutPreload(),
    });
  } catch (error) {
    process.stderr.write(
      `\n!!! no browser can start here: the console's tests in a browser are SKIPPED\n!!! ${String(error)}\n`,
    );
    return undefined;
  }
}

// Chromium ends at once under a preloaded clock (see scripts/dates.ts): its pages get the date of the tests by
// openPage.
function withoutPreload(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name === 'LD_PRELOAD' || value === undefined ? [] : [[name, value]],
    ),
  );
}

export type PageOptions = Pick<BrowserContextOptions, 'viewport' | 'locale' | 'colorScheme'> & {
  /** Failed requests that belong to the scene, each as `401 /api/auth/login`; `0` is a hub that does not answer. */
  failures?: readonly string[];
};

/** A page of a browser nobody used before. What goes wrong in it unseen fails the test at its end. */
export async function openPage(
  browser: Browser,
  baseURL: string,
  { failures = [], ...options }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL, locale: 'en-US', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  if (process.env.FAKETIME !== undefined)
    await context.addInitScript(moveDates, Date.now() - (await page.evaluate(() => Date.now())));
  const problems = watch(page, baseURL, failures);
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return page;
}

/** Runs in the page. */
function moveDates(ahead: number): void {
  const TrueDate = Date;
  const now = (): number => TrueDate.now() + ahead;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

function watch(page: Page, baseURL: string, allowed: readonly string[]): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isAllowed(message, allowed))
      problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== baseURL) problems.push(`request to another host: ${request.url()}`);
  });
  return problems;
}

function isAllowed(message: ConsoleMessage, allowed: readonly string[]): boolean {
  if (!message.text().startsWith('Failed to load resource')) return false;
  const status = /status of (\d+)/.exec(message.text())?.[1] ?? '0';
  return allowed.includes(`${status} ${new URL(message.location().url).pathname}`);
}

/** How far the page is wider than its window. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
