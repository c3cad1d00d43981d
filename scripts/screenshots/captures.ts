// The table of screenshots: every page at its address, and the states of a page that require an action.
import type { Page } from 'playwright-core';
import type { RouteRow } from '../../console/routes.ts';
import type { Account } from './account.ts';

export type Capture = {
  name: string;
  path: string;
  /** Not signed in. */
  isSignedOut?: boolean;
  /** In every width, not only on a desktop and a phone. */
  isPage?: boolean;
  /** Captures the full page instead of the window. */
  isFullPage?: boolean;
  locale?: string;
  /** On a window of 3840 points, in both themes. */
  isWide?: boolean;
  /** Not captured on an empty hub, where there is nothing to show. */
  needsData?: boolean;
  act?: (page: Page) => Promise<unknown>;
};

export function capturesOf(routes: readonly RouteRow[], account: Account): Capture[] {
  const pages = routes.map(({ name, path }) => ({ name, path: filled(path, account), isPage: true }));
  return [...pages, ...CAPTURES.map((capture) => ({ ...capture, path: filled(capture.path, account) }))];
}

function filled(path: string, { alias, task_id, network_id }: Account): string {
  return path
    .replace(':alias', encodeURIComponent(alias))
    .replace(':task_id', task_id)
    .replace(':message_id', task_id)
    .replace(':network_id', network_id);
}

const CAPTURES: readonly Capture[] = [
  { name: 'sign-in', path: '/sign-in', isSignedOut: true },
  { name: 'sign-up', path: '/sign-up', isSignedOut: true },
  { name: 'missing', path: '/nowhere' },
  { name: 'search-results', needsData: true, path: '/search?text=parser' },
  { name: 'search-none', path: '/search?text=zebra' },
  { name: 'filters', path: '/tasks?status=failed&dialog=filters' },
  { name: 'export', path: '/tasks?dialog=export-tasks' },
  { name: 'figures', needsData: true, path: '/agents?view=figures&span=day', isPage: true },
  { name: 'search-chinese', needsData: true, path: '/search?text=parser', locale: 'zh-CN' },
  { name: 'overview-day', needsData: true, path: '/?span=day' },
  ...[
    '',
    'agents',
    'agents/:alias',
    'tasks',
    'tasks/:task_id',
    'messages',
    'networks/:network_id',
    'tokens',
    'connect',
    'profile',
    'admin?tab=audit',
  ].map((path) => ({
    name: `${/^\w*/.exec(path)?.[0] || 'overview'}${path.includes(':') ? '-one' : ''}-chinese`,
    path: `/${path}`,
    locale: 'zh-CN',
  })),
  { name: 'sign-up-chinese', path: '/sign-up', isSignedOut: true, locale: 'zh-CN' },
  { name: 'overview-wide', path: '/', isWide: true },
  { name: 'tasks-wide', path: '/tasks', isWide: true },
  { name: 'messages-wide', needsData: true, path: '/messages?of=builder-1', isWide: true },
  { name: 'task-wide', needsData: true, path: '/tasks/:task_id', isWide: true },
  { name: 'admin-statistics', path: '/admin?tab=statistics' },
  { name: 'admin-diagnostics', path: '/admin?tab=diagnostics' },
  { name: 'admin-audit', path: '/admin?tab=audit', isPage: true },
  { name: 'notifier', path: '/profile?dialog=notifier' },
  { name: 'network-delete', path: '/networks/:network_id?dialog=delete' },
  { name: 'network-join', path: '/networks?dialog=join' },
  {
    name: 'invite-made',
    path: '/networks/:network_id?dialog=invite',
    act: (page) => page.locator('dialog .button-primary').click(),
  },
  {
    name: 'token-made',
    path: '/tokens?dialog=new',
    act: async (page) => {
      await page.locator('dialog input').first().fill('build machine');
      await page.locator('dialog .button-primary').click();
    },
  },
  { name: 'conversation', needsData: true, path: '/messages?of=builder-1&with=ada', isPage: true },
  {
    name: 'reply',
    needsData: true,
    path: '/messages',
    act: (page) => page.locator('.message-foot .link').last().click(),
  },
  { name: 'agent-unknown', path: '/agents/nobody' },
  { name: 'sent', needsData: true, path: '/agents/:alias', act: sendTask },
  { name: 'board', path: '/tasks?view=board', isPage: true },
  { name: 'tasks-filtered', needsData: true, path: '/tasks?status=failed&priority=high&text=parser' },
  { name: 'tasks-none', needsData: true, path: '/tasks?text=nothing-is-called-this' },
  { name: 'agents-filtered', needsData: true, path: '/agents?status=working&text=parser' },
  { name: 'agent-whole', needsData: true, path: '/agents/:alias', isFullPage: true },
  { name: 'task-whole', needsData: true, path: '/tasks/:task_id', isFullPage: true },
  {
    name: 'palette',
    needsData: true,
    path: '/',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('re');
    },
  },
  { name: 'help', needsData: true, path: '/', act: (page) => page.keyboard.press('?') },
  { name: 'send', needsData: true, path: '/agents', act: (page) => page.keyboard.press('n') },
  {
    name: 'menu',
    needsData: true,
    path: '/',
    act: (page) => page.locator('.top-bar [popovertarget="account-menu"]').click(),
  },
  { name: 'bulk', needsData: true, path: '/tasks?status=delivered', act: (page) => selectThree(page) },
  {
    name: 'bulk-cancel',
    needsData: true,
    path: '/tasks?status=delivered',
    act: async (page) => {
      await selectThree(page);
      await page
        .locator('.bulk')
        .getByRole('button', { name: /^Cancel/ })
        .click();
    },
  },
  { name: 'task-retried', needsData: true, path: '/tasks?status=failed', act: retryFirst },
  { name: 'bulk-matching', needsData: true, path: '/tasks?status=failed', act: selectMatching },
  { name: 'bulk-refused', needsData: true, path: '/tasks?status=failed', act: retryRefused },
  { name: 'offline', needsData: true, path: '/', act: cutOff },
];

/** The confirmation after sending a task. */
async function sendTask(page: Page): Promise<void> {
  await page.locator('.actions .button-primary').click();
  await page.locator('dialog textarea').first().fill('Look at the build of last night');
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').waitFor();
}

async function selectThree(page: Page): Promise<void> {
  for (const row of [0, 1, 2])
    await page.locator('.task-list td .checkbox-label input').nth(row).check({ timeout: 8_000 });
}

/** An earlier screenshot may have retried the task already. */
async function retryFirst(page: Page): Promise<void> {
  await page.locator('.task-list .row-link').first().click();
  await page
    .locator('.actions .button-primary')
    .first()
    .click({ timeout: 3_000 })
    .catch(() => {});
  await page.locator('.text-block-head').nth(2).waitFor({ timeout: 8_000 });
}

async function selectMatching(page: Page): Promise<void> {
  await page.locator('.task-list td .checkbox-label input').first().check();
  await page.locator('.bulk .button').first().click();
  await page.waitForFunction(() => !/^1 /.test(document.querySelector('.bulk-count')?.textContent ?? '1 '));
}

/** The hub refuses some of the selected tasks because their status has changed. */
async function retryRefused(page: Page): Promise<void> {
  await page.route(
    '**/retry',
    (route) =>
      route.fulfill({
        status: 400,
        json: { error: 'task status is replied, not retryable', message: 'task status is replied, not retryable' },
      }),
    { times: 9 },
  );
  await selectMatching(page);
  await page.locator('.bulk .button').first().click();
  await page.locator('dialog .button-primary').click();
  await page.locator('.bulk-rejections').waitFor({ timeout: 20_000 });
}

/** The stream is down, and the page shows it. */
async function cutOff(page: Page): Promise<void> {
  await page.route('**/events*', (route) => route.abort());
  await page.reload();
  await page.locator('.banner').waitFor({ timeout: 5_000 });
}
