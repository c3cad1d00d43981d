// The table of screenshots: every page at its address, and the states of a page that require an action.
import type { Page } from 'playwright-core';
import type { RouteRow } from '../../console/routes.ts';
import type { Account } from './account.ts';

export type Stage = {
  name: string;
  path: string;
  /** Not signed in. */
  isOutside?: boolean;
  /** Captures the full page instead of the window. */
  isWhole?: boolean;
  locale?: string;
  /** On a window of 3840 points, in both themes. */
  isWide?: boolean;
  /** Not captured on an empty hub, where there is nothing to show. */
  needsLife?: boolean;
  act?: (page: Page) => Promise<unknown>;
};

export function stagesOf(routes: readonly RouteRow[], account: Account): Stage[] {
  const pages = routes.map(({ name, path }) => ({ name, path: filled(path, account) }));
  return [...pages, ...STAGES.map((stage) => ({ ...stage, path: filled(stage.path, account) }))];
}

function filled(path: string, { alias, task_id, network_id }: Account): string {
  return path
    .replace(':alias', encodeURIComponent(alias))
    .replace(':task_id', task_id)
    .replace(':network_id', network_id);
}

const STAGES: readonly Stage[] = [
  { name: 'sign-in', path: '/sign-in', isOutside: true },
  { name: 'sign-up', path: '/sign-up', isOutside: true },
  { name: 'missing', path: '/nowhere' },
  { name: 'overview-day', needsLife: true, path: '/?span=day' },
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
  { name: 'sign-up-chinese', path: '/sign-up', isOutside: true, locale: 'zh-CN' },
  { name: 'overview-wide', path: '/', isWide: true },
  { name: 'tasks-wide', path: '/tasks', isWide: true },
  { name: 'messages-wide', needsLife: true, path: '/messages?of=builder-1', isWide: true },
  { name: 'task-wide', needsLife: true, path: '/tasks/:task_id', isWide: true },
  { name: 'admin-statistics', path: '/admin?tab=statistics' },
  { name: 'admin-audit', path: '/admin?tab=audit' },
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
    act: async (page) => (
      await page.locator('dialog input').first().fill('build machine'), page.locator('dialog .button-primary').click()
    ),
  },
  { name: 'conversation', needsLife: true, path: '/messages?of=builder-1&with=ada' },
  {
    name: 'reply',
    needsLife: true,
    path: '/messages',
    act: (page) => page.locator('.message-foot .link').last().click(),
  },
  { name: 'agent-unknown', path: '/agents/nobody' },
  { name: 'sent', needsLife: true, path: '/agents/:alias', act: sendTask },
  { name: 'board', path: '/tasks?view=board' },
  { name: 'tasks-filtered', needsLife: true, path: '/tasks?status=failed&priority=high&text=parser' },
  { name: 'tasks-none', needsLife: true, path: '/tasks?text=nothing-is-called-this' },
  { name: 'agents-filtered', needsLife: true, path: '/agents?status=working&text=parser' },
  { name: 'agent-whole', needsLife: true, path: '/agents/:alias', isWhole: true },
  { name: 'task-whole', needsLife: true, path: '/tasks/:task_id', isWhole: true },
  {
    name: 'palette',
    needsLife: true,
    path: '/',
    act: async (page) => (await page.keyboard.press('Control+k'), page.getByRole('combobox').fill('re')),
  },
  { name: 'help', needsLife: true, path: '/', act: (page) => page.keyboard.press('?') },
  { name: 'send', needsLife: true, path: '/agents', act: (page) => page.keyboard.press('n') },
  {
    name: 'menu',
    needsLife: true,
    path: '/',
    act: (page) => page.locator('.top-bar [popovertarget="account-menu"]').click(),
  },
  { name: 'bulk', needsLife: true, path: '/tasks?status=delivered', act: (page) => tick(page) },
  {
    name: 'bulk-cancel',
    needsLife: true,
    path: '/tasks?status=delivered',
    act: async (page) => (await tick(page), page.locator('.bulk .button').nth(1).click()),
  },
  { name: 'task-retried', needsLife: true, path: '/tasks?status=failed', act: retryFirst },
  { name: 'bulk-matching', needsLife: true, path: '/tasks?status=failed', act: tickMatching },
  { name: 'bulk-refused', needsLife: true, path: '/tasks?status=failed', act: retryRefused },
  { name: 'offline', needsLife: true, path: '/', act: cutOff },
];

/** The confirmation after sending a task. */
async function sendTask(page: Page): Promise<void> {
  await page.locator('.actions .button-primary').click();
  await page.locator('dialog textarea').first().fill('Look at the build of last night');
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').waitFor();
}

async function tick(page: Page): Promise<void> {
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

async function tickMatching(page: Page): Promise<void> {
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
  await tickMatching(page);
  await page.locator('.bulk .button').first().click();
  await page.locator('dialog .button-primary').click();
  await page.locator('.bulk-refusals').waitFor({ timeout: 20_000 });
}

/** The stream is down, and the page shows it. */
async function cutOff(page: Page): Promise<void> {
  await page.route('**/events*', (route) => route.abort());
  await page.reload();
  await page.locator('.banner').waitFor({ timeout: 5_000 });
}
