// A hub is backed up while it runs, breaks, and is restored, here and on another machine. A hub with an earlier schema
// is upgraded.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { openEvents } from '../support/http/event-reader.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../support/json.ts';
import { type Ledger, startLoad } from '../support/mixed-load.ts';
import { launch } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';
import { complaintsOf, readRound } from '../support/store/ledger-audit.ts';
import { SCHEMA_FIXTURES, unpack } from '../support/store/schema-fixtures.ts';
import { seededDraws } from '../support/store/seeded.ts';

storyOnce('backup and restore', (target) => {
  const command = async (...args: string[]): Promise<JsonObject> => {
    const { code, stdout, stderr } = await runToItsEnd({ target, args: [...args, '-o', 'json'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return objectIn(stdout);
  };

  test('a backup takes nothing from a hub that was restarted before it and is killed after it', async () => {
    const { hub: first, networkToken } = await hubOfAda({ target });
    expect(await first.stop()).toBe(0);
    const hub = await startHub({ target, data: first.data });
    await command('backup', '--data', hub.data);
    const { task_id } = await mcpClient(hub.url, networkToken).call('send_task', {
      alias: 'bob',
      task: 'after the backup',
      from_session: 'alice',
    });
    await hub.kill('SIGKILL');
    const again = await startHub({ target, data: hub.data });
    expect(await mcpClient(again.url, networkToken).call('get_task', { task_id })).toMatchObject({
      task: { content: 'after the backup', status: 'delivered' },
    });
  });

  test('a backup of a running hub has everything acknowledged before it, and works on another machine', async () => {
    const { hub, networkToken, userToken } = await hubOfAda({ target });
    const reader = await openEvents(`${hub.url}/events/bob`, networkToken);
    await mcpClient(hub.url, networkToken).call('send_message', {
      alias: 'bob',
      message: 'before',
      from_session: 'alice',
    });
    await reader.next('new_message', { message: 'before' });
    const load = startLoad(hub.url, networkToken, 'before');
    await load.begun;
    await expect.poll(() => load.ledger.replies.size).toBeGreaterThan(3);
    const acknowledged = asOfNow(load.ledger);
    const file = textOf(await command('backup', '--data', hub.data), 'file');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { code } = await hub.kill('SIGTERM');
    expect(code).toBe(0);
    await load.over;
    expect(load.ledger.tasks.size).toBeGreaterThan(acknowledged.tasks.size);

    writeFileSync(join(hub.data, 'agenthub.db'), 'damaged content\n'.repeat(1_000));
    const broken = await runToItsEnd({ target, args: ['serve', '--port', '0', '--data', hub.data] });
    expect(broken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: [^\n]+ restore a backup[^\n]+\n$/),
    });
    const restored = await command('restore', file, '--data', hub.data);
    expect(restored).toMatchObject({ users: 1, networks: 1, database: join(hub.data, 'agenthub.db') });
    expect(readFileSync(textOf(restored, 'kept'), 'utf8')).toContain('damaged content');

    const elsewhere = join(temporaryDirectory(), 'new', 'machine');
    await command('restore', file, '--data', elsewhere);
    for (const data of [hub.data, elsewhere]) {
      const again = await startHub({ target, data });
      const asAda = restClient(again.url, userToken);
      expect((await asAda.get('/api/auth/me')).status).toBe(200);
      expect(
        await restClient(again.url).post('/api/auth/login', { username: 'ada', password: PASSWORD }),
      ).toMatchObject({ status: 200 });
      const returned = await openEvents(`${again.url}/events/bob`, networkToken, {
        lastEventId: reader.lastEventId() ?? '',
      });
      await returned.next('resync');
      await mcpClient(again.url, networkToken).call('send_message', {
        alias: 'bob',
        message: 'after',
        from_session: 'alice',
      });
      await returned.next('new_message', { message: 'after' });
      const shown = await readRound(mcpClient(again.url, networkToken), restClient(again.url, networkToken), 'before');
      expect(complaintsOf(acknowledged, shown)).toEqual([]);
      const entries = listOf((await asAda.get('/api/audit-log?actor=command%20line')).body, 'entries');
      expect(entries.map((entry) => textOf(entry, 'action'))).toEqual(['hub.restore']);
      expect(await again.stop()).toBe(0);
    }
  });
});

/** Without moved tasks, which can have changed by the time of the backup. */
function asOfNow({ round, brokenOff, ...rest }: Ledger): Ledger {
  return {
    round,
    brokenOff,
    tasks: new Map(rest.tasks),
    messages: new Map(rest.messages),
    replies: new Map(rest.replies),
    acked: new Set(rest.acked),
    received: new Set(rest.received),
    steered: new Map(),
  };
}

storyOnce('upgrade', (target) => {
  test('a hub of each earlier schema starts with all its data, even if killed during the upgrade, and keeps a backup copy', async () => {
    const draws = seededDraws();
    for (const fixture of SCHEMA_FIXTURES.filter(({ schema }) => schema < SCHEMA_VERSION)) {
      const data = join(temporaryDirectory(), 'data');
      mkdirSync(data, { mode: 0o700 });
      unpack(fixture, join(data, 'agenthub.db'));
      const cut = launch({ target, args: ['serve', '--port', '0', '--data', data] });
      setTimeout(() => cut.child.kill('SIGKILL'), draws.below(target === 'binary' ? 250 : 600));
      await cut.ended;

      const hub = await startHub({ target, data });
      const { account } = fixture;
      const ada = restClient(hub.url, account.network_token);
      for (const [status, id] of Object.entries(account.tasks)) {
        // Tasks in progress at the time of the backup have expired since.
        expect([status, 'expired']).toContain(
          textOf(objectOf((await ada.get(`/api/tasks/${id}`)).body, 'task'), 'status'),
        );
      }
      expect(
        await restClient(hub.url).post('/api/auth/login', { username: account.username, password: account.password }),
      ).toMatchObject({ status: 200 });
      expect(
        await mcpClient(hub.url, account.network_token).call('send_task', { alias: 'builder', task: 'go on' }),
      ).toMatchObject({ ok: true });
      expect(await hub.stop()).toBe(0);

      // An upgrade that was killed halfway leaves a second copy, of what it had done.
      const copy = `agenthub-before-schema-${SCHEMA_VERSION}.db`;
      expect(readdirSync(join(data, 'backups'))).toContain(copy);
      const restored = await runToItsEnd({ target, args: ['restore', join(data, 'backups', copy), '--data', data] });
      expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(`${fixture.rows.tasks} tasks`) });
      expect(restored.stdout).toContain(`, upgraded from schema ${fixture.schema} to ${SCHEMA_VERSION}: `);
    }
  });
});
