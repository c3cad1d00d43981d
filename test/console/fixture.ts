// Fixtures for console tests in a real browser against the built hub: hub, signed-in user and shared page actions.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { type McpClient, mcpClient } from '../support/http/mcp-client.ts';
import { type Account, PASSWORD } from '../support/http/rest-client.ts';
import { isBuilt } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { type RunningHub, startHub } from '../support/process/running-hub.ts';
import { openBrowser, openPage, type PageOptions } from './browser.ts';

export const browser = isBuilt('binary') ? await openBrowser() : undefined;
if (!isBuilt('binary'))
  process.stderr.write(
    '\n!!! dist/agenthub is missing: the browser tests of the console are SKIPPED; run npm run build\n',
  );

afterAll(() => browser?.close());

export type Fixture = { page: Page; hub: RunningHub };
export type SignedIn = Fixture & Account & { agent: McpClient };

export async function emptyHub(options?: PageOptions, args: string[] = []): Promise<Fixture> {
  if (browser === undefined) throw new Error('no browser is available');
  const hub = await startHub({ target: 'binary', args });
  return { hub, page: await pageOf(browser, hub, options) };
}

/** Keeps a non-loopback address: browsers disable some APIs on such pages over plain HTTP. */
function pageOf(browser: Browser, hub: RunningHub, options?: PageOptions): Promise<Page> {
  return openPage(browser, hub.url.replace('//localhost:', '//0.0.0.0:'), options);
}

/** A hub with one user, ada, signed in on the overview with a live stream. */
export async function signedIn(options?: PageOptions, args?: readonly string[]): Promise<SignedIn> {
  const fixture = await registered(options, args);
  await resume(fixture.page, fixture);
  return fixture;
}

/** Signs in through the form, which creates a token different from the one of the registration. */
export async function signedInByForm(options?: PageOptions): Promise<SignedIn> {
  const fixture = await registered(options);
  await fixture.page.goto('/');
  await signIn(fixture.page);
  return fixture;
}

async function registered(options?: PageOptions, args: readonly string[] = []): Promise<SignedIn> {
  if (browser === undefined) throw new Error('no browser is available');
  const ada = await hubOfAda({ target: 'binary', args });
  return { ...ada, page: await pageOf(browser, ada.hub, options), agent: mcpClient(ada.hub.url, ada.networkToken) };
}

/** Restores a stored session. sign-in.test.ts covers the sign-in form, which takes a second. */
export async function resume(page: Page, { user, userToken: token, networkId: network_id }: Account): Promise<void> {
  await page.goto('/health');
  await page.evaluate(
    (kept) => sessionStorage.setItem('agenthub.account', kept),
    JSON.stringify({ token, user, network_id }),
  );
  await page.goto('/');
  await isLive(page);
}

export async function signIn(page: Page): Promise<void> {
  await fillIn(page, 'ada', PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isLive(page);
}

export function isLive(page: Page): Promise<void> {
  return page.locator('.connection[data-state="live"]').waitFor();
}

export async function fillIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

/** Moves the clock of the page, which the test has installed, until something is shown. */
export async function runUntil(page: Page, shown: Locator, stepMs = 1_000): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.runFor(stepMs);
      return shown.count();
    })
    .toBe(1);
}

export async function signOut(page: Page): Promise<void> {
  await openMenu(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

export async function openMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account and settings' }).click();
}

/** Uses the navigation, so that the document is not reloaded. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** The text of a labelled group. */
export async function shown(page: Page, label: string): Promise<string> {
  return (await page.getByRole('group', { name: label, exact: true }).textContent()) ?? '';
}

export function agentRow(page: Page, alias: string): Locator {
  return page.getByRole('region', { name: 'Agents' }).getByRole('row').filter({ hasText: alias });
}

export function taskRow(page: Page, content: string, status = ''): Locator {
  return page
    .getByRole('region', { name: 'Tasks' })
    .getByRole('row')
    .filter({ hasText: content })
    .filter({ hasText: status });
}

export function counted(page: Page, list: 'Tasks' | 'Agents', status: string, number: number): Promise<void> {
  return page
    .getByRole('navigation', { name: `${list} by status` })
    .getByRole('link', { name: `${number} ${status}` })
    .waitFor();
}

export function descriptionOf(page: Page, label: string): Promise<string | null> {
  return page
    .getByLabel(label, { exact: true })
    .evaluate((field) => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent ?? null);
}

export function searchOf(page: Page): string {
  return new URL(page.url()).search;
}
