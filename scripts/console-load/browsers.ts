// Two browsers: one shows the console, the other an empty page, whose frames show what the machine allows.
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type CDPSession, type Page, chromium as playwright } from 'playwright-core';

export type Browsers = { console: Browser; empty: Page; close(): Promise<void> };
export type SignedIn = { url: string /** The stored sign-in of the console. */; kept: string };

/** One measurement of one page. */
export type Sample = {
  page: string;
  frames: number;
  /** The frames of the empty page in the same time. */
  emptyFrames: number;
  /** The longest time without a frame. */
  stallMs: number;
  /** In the content of the page, which excludes navigation and top bar. */
  elements: number;
  rows: number;
  heapBytes: number;
  /** Downloaded since the last measurement. */
  bytes: number;
};

const VIEWPORT = { width: 1440, height: 900 };

export async function openBrowsers(): Promise<Browsers> {
  const executablePath = await chromium.executablePath();
  const open = () => playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const [shown, other] = await Promise.all([open(), open()]);
  const empty = await other.newPage({ viewport: VIEWPORT });
  return { console: shown, empty, close: async () => void (await Promise.all([shown.close(), other.close()])) };
}

export type Measured = { page: Page; measure(name: string, ms: number): Promise<Sample>; close(): Promise<void> };

export async function openConsole({ console: browser, empty }: Browsers, { url, kept }: SignedIn): Promise<Measured> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', viewport: VIEWPORT });
  await context.addInitScript((account) => sessionStorage.setItem('agenthub.account', account), kept);
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  const downloaded = await countBytes(devTools);
  const measure = async (name: string, ms: number): Promise<Sample> => {
    const [shown, reference] = await Promise.all([page.evaluate(countFrames, ms), empty.evaluate(countFrames, ms)]);
    const content = await page.evaluate(countElements);
    const heapBytes = await heapOf(devTools);
    return { page: name, ...shown, emptyFrames: reference.frames, ...content, heapBytes, bytes: downloaded() };
  };
  return { page, measure, close: () => closed(context) };
}

function closed(context: BrowserContext): Promise<void> {
  return context.close();
}

/** Evaluated in the page. Returns frames per second. */
function countFrames(ms: number): Promise<{ frames: number; stallMs: number }> {
  return new Promise((resolve) => {
    const started = performance.now();
    let [count, last, stallMs] = [0, started, 0];
    const onFrame = () => {
      const now = performance.now();
      stallMs = Math.max(stallMs, now - last);
      last = now;
      if (now - started >= ms) return resolve({ frames: (count * 1_000) / (now - started), stallMs });
      count += 1;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
  });
}

/** Evaluated in the page. */
function countElements(): { elements: number; rows: number } {
  return {
    elements: document.querySelectorAll('main *').length,
    rows: document.querySelectorAll('main :is(.row, .task-card, .message, .short-row)').length,
  };
}

/** Compressed bytes as they were transferred, including the event stream. Returns those since the last call. */
async function countBytes(devTools: CDPSession): Promise<() => number> {
  let bytes = 0;
  devTools.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await devTools.send('Network.enable');
  return () => {
    const since = bytes;
    bytes = 0;
    return since;
  };
}

/** After a garbage collection. */
async function heapOf(devTools: CDPSession): Promise<number> {
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  return usedSize;
}
