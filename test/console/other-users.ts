// Additional users of the same hub, each in a separate browser context.
import type { Page } from 'playwright-core';
import { type Account, register } from '../support/http/rest-client.ts';
import type { RunningHub } from '../support/process/running-hub.ts';
import { openPage, type PageOptions } from './browser.ts';
import { browser, resume } from './fixture.ts';

/** Lists that no stream announces reload every eight seconds (console/live/listing.ts). */
export const REFRESH_MS = 8_000;

/** Registers a user and opens their overview with a live stream. */
export async function anotherUser(
  hub: RunningHub,
  username: string,
  options?: PageOptions,
): Promise<Account & { page: Page }> {
  if (browser === undefined) throw new Error('there is no browser');
  const account = await register(hub.url, username);
  const page = await openPage(browser, hub.url, options);
  await resume(page, account);
  return { ...account, page };
}

/** A page of a visitor without an account. */
export async function anonymousPage(hub: RunningHub, options?: PageOptions): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  return openPage(browser, hub.url, options);
}

export function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

/** The HTTP status of a request with the token. */
export async function statusWith(hub: RunningHub, token: string): Promise<number> {
  return (await fetch(`${hub.url}/api/status`, { headers: { Authorization: `Bearer ${token}` } })).status;
}
