// Opens a real browser for the console tests and fails a test on unexpected page errors.
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** A wait fails after this time and names its condition. */
const TIMEOUT_MS = 60_000;

/** Disables the GPU: software emulation costs more CPU time than the drawing itself. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu'];

/** Undefined, with a visible warning, when no browser can start. */
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

// Chromium exits immediately under a preloaded clock (see scripts/dates.ts), so openPage sets the date of its pages.
function withoutPreload(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name === 'LD_PRELOAD' || value === undefined ? [] : [[name, value]],
    ),
  );
}

export type PageOptions = Pick<BrowserContextOptions, 'viewport' | 'locale'> & {
  /** Expected request failures, such as `401 /api/auth/login`; status `0` means that the hub is unreachable. */
  failures?: readonly string[];
};

/** A page in a fresh browser context. Unexpected errors in it fail the test when it ends. */
export async function openPage(
  browser: Browser,
  baseURL: string,
  { failures = [], ...options }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL, locale: 'en-US', ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
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

/** Evaluated in the page. */
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
  const path = new URL(message.location().url).pathname.replace(/-[A-Z0-9]{8}(?=\.\w+$)/, ''); // without the hash
  return allowed.includes(`${status} ${path}`);
}

/** The horizontal overflow of the page in pixels. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
