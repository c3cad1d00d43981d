// The dialogs and other states of pages that need an action to be reached; access.test.ts has those with an address.
import type { Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { restClient } from '../support/http/rest-client.ts';
import { textOf } from '../support/json.ts';
import { audit } from './accessibility.ts';
import { browser, emptyHub, goTo, isLive, type SignedIn, signedIn } from './fixture.ts';
import { anotherUser } from './other-users.ts';

type State = [name: string, path: string, act: (page: Page) => Promise<unknown>];

const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click();
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true }).first().click();
const inDialog = (page: Page) => page.getByRole('dialog');

const TASKS: State[] = [
  ['answer on the page of an agent', '/agents/asks', (page) => click(page, 'Answer…')],
  ['answer', '/tasks/:task_id', (page) => click(page, 'Answer…')],
  ['settle', '/tasks/:task_id', (page) => click(page, 'Settle…')],
  ['settle without a result', '/tasks/:task_id', (page) => submitEmpty(page, 'Settle…', 'Settle task')],
  ['reassign', '/tasks/:task_id', (page) => click(page, 'Reassign')],
  ['reassign to an unknown agent', '/tasks/:task_id', reassignToNobody],
  ['cancel', '/tasks/:task_id', (page) => click(page, 'Cancel task')],
];

const OTHERS: State[] = [
  ['the palette with results', '/', search],
  ['reassign several', '/tasks?status=delivered', reassignAll],
  ['broadcast', '/', (page) => sendAs(page, 'Broadcast')],
  ['a missing text', '/', (page) => sendEmpty(page)],
  [
    'the composer with options',
    '/messages?of=asks&kind=task',
    (page) => page.getByText('Priority, expiry, context').click(),
  ],
  ['saved filters', '/tasks?status=failed', saveFilter],
  ['an unknown agent', '/agents/nobody', (page) => page.getByText('No agent has reported as').waitFor()],
  ['a sorted list', '/agents', (page) => follow(page, 'Model')],
  ['no results', '/tasks?text=nothing-has-this', (page) => page.getByText('No results for these filters').waitFor()],
];

const SETUP: State[] = [
  ['a new token', '/tokens?dialog=new', createToken],
  ['revoke', '/tokens', (page) => follow(page, /^Revoke /)],
  [
    'an invite',
    '/networks/:network_id?dialog=invite',
    (page) => inDialog(page).getByRole('button', { name: 'Create invite' }).click(),
  ],
  ['remove a member', '/networks/:network_id', (page) => follow(page, /^Remove /)],
  ['edit a network', '/networks/:network_id', (page) => follow(page, 'Edit')],
  [
    'a new network without a name',
    '/networks?dialog=new',
    (page) => inDialog(page).getByRole('button', { name: 'Create' }).click(),
  ],
  ['an invalid notifier', '/profile?dialog=notifier', invalidNotifier],
  ['the wrong password', '/profile', (page) => click(page, 'Change password')],
];

describe.skipIf(browser === undefined)('accessibility', () => {
  test('the dialogs about a task have no violations', async () => {
    const fixture = await signedIn();
    await auditStates(fixture, TASKS, await fill(fixture));
  });

  test('other states of daily work have no violations', async () => {
    const fixture = await signedIn({ failures: ['404 /api/session', '0 /api/messages'] });
    await fill(fixture);
    await auditStates(fixture, OTHERS, '');
    await auditFailedList(fixture);
  });

  test('the dialogs and states of setup have no violations', async () => {
    const fixture = await signedIn({ failures: ['400 /api/notifiers'] });
    await addMember(fixture);
    await auditStates(fixture, SETUP, '');
    await auditDemo(fixture);
  });

  test('signing in and setting up have no violations', async () => {
    const { page } = await emptyHub();
    await page.goto('/sign-up');
    await page.getByLabel('Username').waitFor();
    await audit(page, 'set up');
    await click(page, 'Create account');
    await page.getByText('Enter your username.').or(page.getByText('Use 2 to 50')).first().waitFor();
    await audit(page, 'set up without a name');
    await page.goto('/sign-in');
    await click(page, 'Sign in');
    await page.getByText('Enter your password.').waitFor();
    await audit(page, 'sign in without a password');
  });
});

async function auditStates({ page, networkId }: SignedIn, states: readonly State[], task_id: string): Promise<void> {
  for (const [name, path, act] of states) {
    await page.goto(path.replace(':task_id', task_id).replace(':network_id', networkId));
    await isLive(page);
    await page.waitForFunction(() => document.querySelector('main .skeleton') === null);
    await act(page);
    await audit(page, name);
  }
}

async function fill({ agent }: SignedIn): Promise<string> {
  const report = { resume_id: 'asks', alias: 'asks', model: 'm-4', server: 'mars' };
  const sent = await agent.call('send_task', { alias: 'asks', task: 'Paint the wall', from_session: 'ada' });
  await agent.call('send_ack', { task_id: sent['task_id'], from_session: 'asks' });
  await agent.call('report_status', { ...report, status: 'waiting_input', task: 'Paint', output: 'Which color?' });
  await agent.call('send_task', { alias: 'asks', task: 'Paint the floor', from_session: 'ada' });
  await agent.call('send_message', { alias: 'ada', message: 'Which **color**?', from_session: 'asks' });
  return textOf(sent, 'task_id');
}

async function addMember({ hub, networkId, userToken }: SignedIn): Promise<void> {
  const { body } = await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'member' });
  const grace = await anotherUser(hub, 'grace');
  const invite_code = textOf(body, 'invite_code');
  await restClient(hub.url, grace.userToken).post('/api/networks/join', { invite_code });
}

async function submitEmpty(page: Page, open: string, submit: string): Promise<void> {
  await click(page, open);
  await inDialog(page).getByRole('button', { name: submit }).click();
  await inDialog(page).getByText('Enter a result.').waitFor();
}

async function reassignToNobody(page: Page): Promise<void> {
  await click(page, 'Reassign');
  await inDialog(page).getByLabel('New agent').fill('nobody');
  await inDialog(page).getByText('No agent has this name yet.').waitFor();
}

async function search(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('paint');
  await page.getByRole('option').filter({ hasText: 'Paint the wall' }).first().waitFor();
}

async function reassignAll(page: Page): Promise<void> {
  await page.getByLabel('Select all shown').check();
  await click(page, /^Reassign \d/);
  await inDialog(page).waitFor();
}

async function sendAs(page: Page, kind: string): Promise<void> {
  await page.keyboard.press('n');
  await inDialog(page).getByRole('radio', { name: kind }).check();
}

async function sendEmpty(page: Page): Promise<void> {
  await page.keyboard.press('n');
  await inDialog(page).getByRole('button', { name: 'Send', exact: true }).click();
  await inDialog(page).getByText('Enter an agent alias.').waitFor();
}

async function saveFilter(page: Page): Promise<void> {
  await follow(page, 'Saved filters');
  await inDialog(page).getByLabel('Save this filter as').fill('Failures');
  await inDialog(page).getByRole('button', { name: 'Save' }).click();
  await follow(page, 'Saved filters');
  await inDialog(page).getByRole('button', { name: 'Rename Failures' }).click();
}

async function createToken(page: Page): Promise<void> {
  await inDialog(page).getByLabel('Name').fill('laptop');
  await inDialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('group', { name: 'Your new token' }).waitFor();
}

async function invalidNotifier(page: Page): Promise<void> {
  await inDialog(page).getByLabel('URL').fill('http://127.0.0.1:9/');
  await inDialog(page).getByRole('button', { name: 'Create and test' }).click();
  await inDialog(page).getByText('This URL cannot be used').waitFor();
}

async function auditFailedList({ page }: SignedIn): Promise<void> {
  await page.route('**/api/messages*', (route) => route.abort());
  await page.goto('/messages?of=asks');
  await page.getByText('Could not load this list.').waitFor();
  await audit(page, 'a list that failed to load');
  await page.unroute('**/api/messages*');
}

async function auditDemo({ page }: SignedIn): Promise<void> {
  await goTo(page, 'Connect');
  await click(page, 'Add two demo agents');
  await page.getByText('You are viewing the demo.').waitFor();
  await goTo(page, 'Overview');
  await page.getByRole('region', { name: 'Agents' }).getByRole('row').nth(2).waitFor();
  await audit(page, 'the overview of the demo');
  await page.getByRole('link', { name: 'Manage demo' }).click();
  await page.getByRole('heading', { name: 'Two demo agents are running' }).waitFor();
  await audit(page, 'the demo');
}
