import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { audit } from '../accessibility.ts';
import { browser, type SignedIn, signedIn } from '../fixture.ts';

/** More than the hub lists on one page. */
const MANY = 510;
const AT_ONCE = 30;

describe.skipIf(browser === undefined)('an export', () => {
  test('has the whole filtered list, loaded or not, as CSV and as JSON', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await sendMany(fixture);
    await page.goto('/tasks?to=builder&dialog=export-tasks');
    await audit(page, 'the export');
    const csv = await download(page, 'CSV');
    expect(csv.name).toMatch(/^agenthub-ada-tasks-\d{4}-\d\d-\d\d\.csv$/);
    const lines = csv.text.split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFtask_id,status,priority,from_name,to_name,attempt,created_at,started_at,completed_at,expires_at,content,context,result',
    );
    expect([lines.length, lines.at(-1)]).toEqual([MANY + 2, '']);
    expect(lines.filter((line) => line.includes(`,"'=1+7, ""quoted""",`))).toHaveLength(1);
    await page.getByText(`Saved ${MANY} rows as ${csv.name}.`).waitFor();
    const json: { content: string }[] = JSON.parse((await download(page, 'JSON')).text);
    expect(new Set(json.map(({ content }) => content)).size).toBe(MANY);
    expect(json.map(({ content }) => content)).toContain('=1+7, "quoted"');
  });

  test('shows its progress and is cancelled by closing the dialog', async () => {
    const fixture = await signedIn();
    const { page } = fixture;
    await sendMany(fixture);
    await page.goto('/tasks?to=builder&dialog=export-tasks');
    const later: string[] = [];
    await page.route(
      (url) => url.searchParams.has('partial') && url.searchParams.has('cursor'),
      (route) => void later.push(route.request().url()),
    );
    const cancelled = page.waitForEvent('requestfailed', (request) => later.includes(request.url()));
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await page.getByText('500 rows so far…').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await cancelled;
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(later).toHaveLength(1);
  });

  test('says why it failed, and can be retried', async () => {
    const { page } = await signedIn({ failures: ['500 /api/tasks'] });
    await page.goto('/tasks?dialog=export-tasks');
    await page.route('**/api/tasks?*partial=*', (route) =>
      route.fulfill({ status: 500, json: { error: 'internal_error', message: 'disk full' } }),
    );
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.locator('[data-tone="error"]').waitFor();
    await page.unroute('**/api/tasks?*partial=*');
    expect((await download(page, 'JSON')).text).toBe('[\n]\n');
  });

  test.each([
    ['agents', '/agents?text=build', 'agents', ['alias', 'builder']],
    ['the messages of one person', '/messages?of=builder', 'messages', ['content', 'Build']],
    ['the audit log', '/admin?tab=audit', 'audit-log', ['action', 'user.']],
    ['users', '/admin', 'users', ['username', 'ada']],
    ['members', '/networks/:network_id', 'members', ['username', 'ada']],
    ['invites', '/networks/:network_id', 'invites', ['role', 'viewer']],
    ['networks', '/networks', 'networks', ['network_name', 'ada']],
    ['tokens', '/tokens?kind=network', 'tokens', ['kind', 'network']],
  ])('is possible for %s', async (what, path, name, [column = '', value = '']) => {
    const { page, agent, hub, networkId, userToken } = await signedIn();
    await restClient(hub.url, userToken).post(`/api/networks/${networkId}/invite`, { role: 'viewer' });
    await agent.call('report_status', { resume_id: 'r1', alias: 'builder', status: 'idle' });
    await agent.call('report_status', { resume_id: 'r2', alias: 'painter', status: 'idle' });
    await agent.call('send_task', { alias: 'builder', task: 'Build', from_session: 'boss' });
    await page.goto(path.replace(':network_id', networkId));
    await page.getByRole('link', { name: new RegExp(`^Export($|: ${what}$)`, 'i') }).click();
    const file = await download(page, 'JSON');
    expect(file.name).toContain(`-${name}-`);
    const rows: Record<string, string>[] = JSON.parse(file.text);
    expect(rows.map((row) => row[column])).toContainEqual(expect.stringContaining(value));
    expect(rows.filter(({ alias, kind }) => alias === 'painter' || kind === 'user')).toEqual([]);
  });
});

async function sendMany({ hub, networkToken }: SignedIn): Promise<void> {
  const { post } = restClient(hub.url, networkToken);
  await post('/api/tasks', { alias: 'painter', task: 'not exported' });
  const numbers = Array.from({ length: MANY }, (_, n) => n);
  for (let at = 0; at < MANY; at += AT_ONCE)
    await Promise.all(
      numbers.slice(at, at + AT_ONCE).map((n) => post('/api/tasks', { alias: 'builder', task: `=1+${n}, "quoted"` })),
    );
}

async function download(page: Page, format: 'CSV' | 'JSON'): Promise<{ name: string; text: string }> {
  const dialog = page.getByRole('dialog', { name: 'Export' });
  await dialog.getByRole('radio', { name: format }).check();
  const started = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export' }).click();
  const file = await started;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}
