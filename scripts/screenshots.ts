// `npm run screenshots [-- NAME…]`: saves a picture of every page of the console to dist/screenshots, in light, dark
// and phone layout, on an empty hub and a full one. The pages come from console/routes.ts, other states from stages.ts.
// Names select pages: `npm run screenshots -- tasks board`.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { DIST } from '../build/step.ts';
import { ROUTES } from '../console/routes.ts';
import { type Account, openAccount } from './screenshots/account.ts';
import { type Stage, stagesOf } from './screenshots/captures.ts';
import { SEEDED, seed } from './seed.ts';
import { launch } from './support/program.ts';

const LOOKS = {
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
const WIDE = { width: 3840, height: 2160 };
const FULL = { agents: 500, tasks: 10_000, hours: 26 };
const SETTLED_MS = 250;

const wanted = process.argv.slice(2);
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
  if (fill === 'full') await seed(data, FULL);
  const hub = await launch({ file: join(DIST, 'agenthub'), args: ['serve', '--port', '0', '--data', data] });
  const account = await openAccount(hub.url, SEEDED, fill);
  const stages = stagesOf(ROUTES, account).filter(
    ({ name, needsLife }) => (wanted.length === 0 || wanted.includes(name)) && (fill === 'full' || !needsLife),
  );
  for (const stage of stages) await shootStage(opened, hub.url, account, stage, fill);
  await hub.kill();
  rmSync(data, { recursive: true, force: true });
}

async function shootStage(opened: Browser, url: string, account: Account, stage: Stage, fill: string): Promise<void> {
  await Promise.all(
    looksOf(stage).map(async ([look, options]) => {
      const context = await opened.newContext({ baseURL: url, locale: stage.locale ?? 'en-US', ...options });
      if (!stage.isOutside)
        await context.addInitScript((kept) => sessionStorage.setItem('agenthub.account', kept), account.kept);
      const page = await context.newPage();
      await page.goto(stage.path);
      await settle(page);
      await stage
        .act?.(page)
        .catch(() => process.stderr.write(`${stage.name} on the ${fill} hub did not reach its expected state\n`));
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({
        path: join(target, `${stage.name}-${fill}-${look}.png`),
        fullPage: stage.isWhole ?? false,
      });
      await context.close();
    }),
  );
  process.stdout.write(`${stage.name} ${fill}\n`);
}

function looksOf({ isWide }: Stage) {
  const looks = Object.entries(LOOKS);
  return isWide ? looks.slice(0, 2).map(([look, options]) => [look, { ...options, viewport: WIDE }] as const) : looks;
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
