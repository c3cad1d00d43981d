import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { openReceiver } from '../../support/receiver.ts';
import { audit } from '../accessibility.ts';
import { overhang } from '../browser.ts';
import { browser, goTo, resume, signedIn } from '../fixture.ts';
import { anonymousPage, anotherUser, rowOf } from '../other-users.ts';

const ANY_ADDRESS = ['--notifier-addresses', 'all'];

describe.skipIf(browser === undefined)('notifiers', () => {
  test('one is created, tested, changed, paused and deleted, and its secret is shown once', async () => {
    const receiver = await openReceiver();
    const { page } = await signedIn({ viewport: { width: 1_000, height: 500 } }, ANY_ADDRESS);
    await goTo(page, 'Profile');
    await page.getByText('No notifiers yet.').waitFor();
    await create(page, receiver.url, 'Phone');
    await page.getByText('Phone accepted the test.').waitFor();
    const box = await page.locator('.shown-once').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(500);
    const secret = (await page.getByRole('group', { name: 'Signing secret' }).textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await rowOf(page, 'Phone').getByText('delivered').waitFor();
    expect(receiver.received).toMatchObject([{ headers: { 'webhook-signature': expect.stringMatching(/^v1,/) } }]);

    receiver.answerWith(500);
    await page.getByRole('button', { name: 'Test Phone' }).click();
    await page.getByText('The test of Phone failed: the receiver returned 500.').waitFor();
    await rowOf(page, 'Phone').getByText('failed: the receiver returned 500').waitFor();
    await page.getByRole('link', { name: 'Log of Phone' }).click();
    const log = page.getByRole('dialog', { name: 'Log of Phone' });
    await log.getByRole('row', { name: /Test failed: the receiver returned 500 1/ }).waitFor();
    await log.getByRole('row', { name: /Test delivered 1/ }).waitFor();
    await audit(page, 'log');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Edit Phone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit notifier' });
    await dialog.getByLabel('Name (optional)').fill('Pager');
    await dialog.getByLabel('Quiet hours start').fill('22:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter both times or neither.').waitFor();
    await dialog.getByLabel('Quiet hours end').fill('22:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter two different times.').waitFor();
    await dialog.getByLabel('Quiet hours end').fill('07:00');
    await dialog.getByLabel('Failed tasks').uncheck();
    await dialog.getByLabel('Agents that are stuck').uncheck();
    await dialog.getByLabel('Send notifications').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Pager').getByText('paused').waitFor();
    await rowOf(page, 'Pager').getByText('quiet 22:00–07:00').waitFor();

    await page.reload();
    await page.getByRole('link', { name: 'Edit Pager' }).click();
    await dialog.waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await dialog.getByLabel('Quiet hours start').inputValue()).toBe('22:00');
    expect(await dialog.getByLabel('Failed tasks').isChecked()).toBe(false);
    expect(await dialog.getByLabel('Agents that are stuck').isChecked()).toBe(false);
    expect(await dialog.getByLabel('Blocked agents').isChecked()).toBe(true);
    expect(await dialog.getByLabel('URL').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Delete Pager' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No notifiers yet.').waitFor();
  });

  test('a URL that cannot work says so at once, in the language of the page', async () => {
    const { page } = await signedIn({ failures: ['400 /api/notifiers'] });
    await page.goto('/profile?dialog=notifier');
    const tried = async (url: string) => {
      await page.locator('#notifier-url').fill(url);
      await page.locator('dialog .button-primary').click();
    };
    await tried('hooks.example.org');
    await page.getByText('Enter a URL that starts with https:// or http://.').waitFor();
    await tried('https://ada:secret@127.0.0.1/');
    await page.getByText('Remove the username and password from the URL.').waitFor();
    await tried('http://127.0.0.1:9/hook');
    await page.getByText('This URL cannot be used: its host has a private address').waitFor();
    await page.getByRole('radio', { name: 'ntfy' }).check();
    await tried('http://127.0.0.1:9/');
    await page.getByText('The URL must end with the topic').waitFor();
    await page.evaluate(() => localStorage.setItem('agenthub.language', 'zh'));
    await page.reload();
    await tried('http://127.0.0.1:9/hook');
    await page.getByText('无法使用此 URL：该主机使用内网地址').waitFor();
  });

  test('those of a network are on its page, for its owner', async () => {
    const receiver = await openReceiver();
    const fixture = await signedIn(undefined, ANY_ADDRESS);
    const { page, hub, agent, networkId } = fixture;
    await page.goto(`/networks/${networkId}`);
    await create(page, receiver.url, 'Team');
    await page.getByText('Team accepted the test.').waitFor();
    await agent.call('report_status', { resume_id: 'b', alias: 'builder', status: 'blocked' });
    await expect
      .poll(() => receiver.received.map(({ body }) => JSON.parse(body).title))
      .toContain('builder is blocked');

    const bob = await anotherUser(hub, 'bob');
    const { body } = await restClient(hub.url, fixture.userToken).post(`/api/networks/${networkId}/invite`);
    await restClient(hub.url, bob.userToken).post('/api/networks/join', { invite_code: body['invite_code'] });
    await bob.page.goto(`/networks/${networkId}`);
    await bob.page.getByRole('heading', { name: 'Members' }).waitFor();
    expect(await bob.page.getByRole('heading', { name: 'Notifiers' }).count()).toBe(0);
  });

  test('fit a small phone', async () => {
    const receiver = await openReceiver();
    const { page } = await signedIn({ viewport: { width: 375, height: 812 } }, ANY_ADDRESS);
    await page.goto('/profile');
    await create(page, receiver.url, 'x'.repeat(100));
    await page.getByText('accepted the test').waitFor();
    expect(await overhang(page)).toBe(0);
    await page.getByRole('link', { name: /^Log of/ }).click();
    await page.getByRole('dialog').getByText('delivered').waitFor();
    expect(await overhang(page)).toBe(0);
  });
});

describe.skipIf(browser === undefined)('notifications of the browser', () => {
  test('are requested on a click, shown while no tab is visible, limited, and open the page that they are about', async () => {
    const fixture = await signedIn();
    const page = await anonymousPage(fixture.hub);
    await page.addInitScript<NotificationPermission>(fakeNotifications, 'default');
    await resume(page, fixture);
    await page.goto('/profile');
    await page.getByText('Off in this browser.').waitFor();
    expect(await page.evaluate(() => Reflect.get(window, 'asked'))).toBe(0);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('On in this browser.').waitFor();
    expect(await page.evaluate(() => Reflect.get(window, 'asked'))).toBe(1);

    const blocks = async (alias: string) => {
      await fixture.agent.call('report_status', { resume_id: alias, alias, status: 'blocked' });
    };
    await blocks('seen');
    await page.getByRole('link', { name: 'Needs you: 1', exact: true }).waitFor();
    await setHidden(page, true);
    for (let index = 1; index <= 8; index++) await blocks(`agent-${index}`);
    // The last one or two above the limit are one notification.
    await expect.poll(async () => (await titles(page)).join()).toMatch(/\b[89] items need your attention/);
    const singles = (await titles(page)).filter((title) => title.startsWith('agent-'));
    expect(new Set(singles).size).toBe(6);
    expect(singles).toHaveLength(6);

    const [first = ''] = singles;
    await page.evaluate((title) => {
      const shown: Notification[] = Reflect.get(window, 'shown');
      shown.find((each) => each.title === title)?.onclick?.(new Event('click'));
    }, first);
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/agents/${first}`);
    await page.getByRole('heading', { level: 1, name: first }).waitFor({ state: 'attached' });
  });

  test('are not shown while another tab of the console is visible', async () => {
    const fixture = await signedIn();
    const page = await anonymousPage(fixture.hub);
    await page.addInitScript<NotificationPermission>(fakeNotifications, 'granted');
    await page.addInitScript(() => localStorage.setItem('agenthub.notifications', 'on'));
    await resume(page, fixture);
    const other = await page.context().newPage();
    await resume(other, fixture);
    await setHidden(page, true);
    const blocks = (alias: string) =>
      fixture.agent.call('report_status', { resume_id: alias, alias, status: 'blocked' });
    await blocks('unseen');
    await page.getByRole('link', { name: 'Needs you: 1', exact: true }).waitFor();
    await setHidden(other, true);
    await blocks('missed');
    await expect.poll(() => titles(page)).toEqual(['missed']);
  });

  test('are unavailable where the browser does not offer them', async () => {
    const { page } = await signedIn();
    await page.addInitScript(() => Reflect.deleteProperty(window, 'Notification'));
    await page.goto('/profile');
    await page.getByText('Not available. Browsers allow notifications only over HTTPS').waitFor();
    expect(await page.getByRole('button', { name: 'Turn on' }).count()).toBe(0);
  });
});

async function create(page: Page, url: string, name: string): Promise<void> {
  await page.getByRole('link', { name: 'New notifier' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a notifier' });
  await dialog.getByLabel('URL').fill(url);
  await dialog.getByLabel('Name (optional)').fill(name);
  await dialog.getByRole('button', { name: 'Create and test' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Evaluated in the page: headless browsers show no notifications. */
function fakeNotifications(permission: NotificationPermission): void {
  const shown: FakeNotification[] = [];
  class FakeNotification {
    static permission = permission;
    static async requestPermission(): Promise<NotificationPermission> {
      Reflect.set(window, 'asked', Reflect.get(window, 'asked') + 1);
      FakeNotification.permission = 'granted';
      return 'granted';
    }
    title: string;
    tag: string | undefined;
    onclick?: () => void;
    constructor(title: string, { tag }: NotificationOptions = {}) {
      this.title = title;
      this.tag = tag;
      shown.push(this);
    }
    close(): void {}
  }
  Object.assign(window, { shown, asked: 0, Notification: FakeNotification });
}

function titles(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shown: Notification[] = Reflect.get(window, 'shown');
    return shown.map(({ title }) => title);
  });
}

/** Headless browsers have no tabs in the background. */
function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}
