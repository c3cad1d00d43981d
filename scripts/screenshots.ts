// `npm run screenshots [-- NAME… --agents 30]`: saves a picture of every page of the console to dist/screenshots, in
// light and dark mode and in every width, on an empty hub and a full one. The pages come from console/routes.ts, other
// states from captures.ts. Names select pages: `npm run screenshots -- tasks board`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { DIST, ROOT } from '../build/step.ts';
import { ROUTES } from '../console/routes.ts';
import { commandLine, wholeNumber } from './command-line.ts';
import { type Account, openAccount } from './screenshots/account.ts';
import { type Capture, capturesOf } from './screenshots/captures.ts';
import { SEEDED } from './seed.ts';
import { launch } from './support/program.ts';

const VARIANTS = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: {
    viewport: { width: 375, height: 812 },
    colorScheme: 'light',
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  },
} as const;
/** The other widths, for pages. */
const WIDTHS = {
  tablet: { viewport: { width: 800, height: 1100 }, colorScheme: 'light' },
  laptop: { viewport: { width: 1100, height: 750 }, colorScheme: 'light' },
  desk: { viewport: { width: 2560, height: 1440 }, colorScheme: 'light' },
} as const;
const WIDE = { width: 3840, height: 2160 };
const SETTLED_MS = 250;

const command = commandLine('screenshots', 'Saves a picture of every page of the console in every width.')
  .argument('[names...]', 'the pages')
  .option('--tasks <number>', 'number of tasks of the full hub', wholeNumber, 10_000)
  .option('--agents <number>', 'number of its agents', wholeNumber, 500)
  .parse();
const wanted = command.args;
const { tasks, agents } = command.opts<{ tasks: number; agents: number }>();
const target = join(DIST, 'screenshots');
mkdirSync(target, { recursive: true });

const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const fill of ['empty', 'full'] as const) await captureHub(browser, fill);
await browser.close();

async function captureHub(opened: Browser, fill: 'empty' | 'full'): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'agenthub-screenshots-'));
  if (fill === 'full') seed(data);
  const hub = await launch({ file: join(DIST, 'agenthub'), args: ['serve', '--port', '0', '--data', data] });
  const account = await openAccount(hub.url, SEEDED, fill);
  const captures = capturesOf(ROUTES, account).filter(
    ({ name, needsData }) => (wanted.length === 0 || wanted.includes(name)) && (fill === 'full' || !needsData),
  );
  for (const capture of captures) await takeScreenshots(opened, hub.url, account, capture, fill);
  await hub.kill();
  rmSync(data, { recursive: true, force: true });
}

/** In a separate process, so that no connection to the database of the hub stays open in this one. */
function seed(data: string): void {
  const size = ['--agents', String(agents), '--tasks', String(tasks), '--hours', '26'];
  execFileSync(process.execPath, [...process.execArgv, join(ROOT, 'scripts/seed.ts'), '--data', data, ...size]);
}

async function takeScreenshots(
  opened: Browser,
  url: string,
  account: Account,
  capture: Capture,
  fill: string,
): Promise<void> {
  await Promise.all(
    variantsOf(capture).map(async ([variant, options]) => {
      const context = await opened.newContext({ baseURL: url, locale: capture.locale ?? 'en-US', ...options });
      if (!capture.isSignedOut)
        await context.addInitScript((kept) => sessionStorage.setItem('agenthub.account', kept), account.kept);
      const page = await context.newPage();
      await page.goto(capture.path);
      await settle(page);
      await capture
        .act?.(page)
        .catch(() => process.stderr.write(`${capture.name} on the ${fill} hub did not reach its expected state\n`));
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({
        path: join(target, `${capture.name}-${fill}-${variant}.png`),
        fullPage: capture.isFullPage ?? false,
      });
      await context.close();
    }),
  );
  process.stdout.write(`${capture.name} ${fill}\n`);
}

function variantsOf({ isWide, isPage }: Capture) {
  const variants = Object.entries(VARIANTS);
  if (isPage) return [...variants, ...Object.entries(WIDTHS)];
  return isWide
    ? variants.slice(0, 2).map(([variant, options]) => [variant, { ...options, viewport: WIDE }] as const)
    : variants;
}

/** Waits until the page is loaded. A page that never finishes loading is captured as it is. */
async function settle(page: Page): Promise<void> {
  await page
    .waitForFunction(
      () => document.querySelector('h1') !== null && document.querySelector('.skeleton') === null,
      undefined,
      { timeout: 5_000 },
    )
    .catch(() => {});
  await page.waitForTimeout(SETTLED_MS);
}
