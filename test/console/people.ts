// More people at the same hub, each in a browser of their own.
import type { Page } from 'playwright-core';
import { type Account, register } from '../support/http/rest-client.ts';
import type { RunningHub } from '../support/process/running-hub.ts';
import { openPage, type PageOptions } from './browser.ts';
import { browser, resume } from './scenes.ts';

/** Lists that the hub tells no news of are asked for again every eight seconds (console/live/listing.ts). */
export const UNTIL_ASKED_AGAIN = 8_000;

/** Registered, and signed in on an overview that listens. */
export async function anotherPerson(
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

/** Somebody who has no account yet. */
export async function stranger(hub: RunningHub, options?: PageOptions): Promise<Page> {
  if (browser === undefined) throw new Error('there is no browser');
  return openPage(browser, hub.url, options);
}

export function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

/** The status of a request the page's owner could make with a token, as the hub answers it. */
export async function statusWith(hub: RunningHub, token: string): Promise<number> {
  return (await fetch(`${hub.url}/api/status`, { headers: { Authorization: `Bearer ${token}` } })).status;
}
