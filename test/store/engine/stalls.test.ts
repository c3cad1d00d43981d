// A database server that does not finish what a hub writes: because it waits for its standby, or because the connection
// was lost and neither end has noticed.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLine } from '../../../scripts/support/network-line.ts';
import { startPostgres } from '../../../scripts/support/postgres-server.ts';
import type { Caller } from '../../../server/domain/accounts/caller.ts';
import { perform } from '../../../server/operations/operation.ts';
import { healthReady } from '../../../server/operations/records/probes.ts';
import { queryTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { watchResources } from '../../../server/serve/machine/resource-watch.ts';
import { drainHubOn } from '../../../server/store/engine/postgres/cluster.ts';
import { outcomeOf, rowsOf } from '../../support/fixture.ts';
import { createEmptyPostgres, SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn, type TestHub } from '../../support/test-hub.ts';

const sent = (hub: TestHub, caller: Caller, task: string): Promise<string> =>
  outcomeOf(perform(sendTask, hub, caller, { alias: 'bob', task, from_session: `alice ${task}` }));

/** Once a group is running, the clock of the hub goes on by so long. */
async function pass(hub: TestHub, milliseconds: number): Promise<void> {
  await expect.poll(() => hub.store.queues().writes.count).toBeGreaterThan(0);
  await sleep(50); // a group begins
  hub.clock.advance(milliseconds);
}

const HELD_UP = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

const SESSIONS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'agenthub' ORDER BY pid";
const NOTIFYING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT pg_notify%'";

/** The server is asked after two seconds. */
const SOON = { timeout: 5_000 };

const troubles = (hub: TestHub): string[] => {
  watchResources(hub).stop();
  return hub.troubles.listPresent().map(({ kind }) => kind);
};

describe.skipIf(SERVER === undefined)('writes that do not end', () => {
  test('while the standby is lost are those of all hubs: reads go on, and what waits behind is refused', async () => {
    const server = await startPostgres({ isDurable: true });
    if (server === undefined) throw new Error('there was a server for the other tests');
    onTestFinished(server.stop);
    const [hub, other] = [await openHubOn(server.url), await openHubOn(server.url)];
    const caller = await foundNetwork(hub);
    const admin = new Client(server.url);
    await admin.connect();
    const sessions = async () => (await admin.query(SESSIONS)).rows.map(({ pid }) => pid);
    const follow = async (standby: string): Promise<void> => {
      await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
      await admin.query('SELECT pg_reload_conf()');
      const set = async () => (await admin.query('SHOW synchronous_standby_names')).rows[0]?.synchronous_standby_names;
      await expect.poll(set).toBe(standby);
    };
    onTestFinished(() => follow('').then(() => admin.end())); // a hub that closes waits for its writes

    const brief = { alias: 'bob', task: 'brief', ttl_seconds: 1, from_session: 'alice' };
    await perform(sendTask, hub, caller, brief);
    await follow('lost');
    const first = sent(hub, caller, 'first');
    await expect.poll(async () => (await admin.query(HELD_UP)).rows).toHaveLength(1);
    const behind = sent(hub, caller, 'behind');
    await pass(hub, 11_000);
    await expect(behind).resolves.toBe('unavailable');
    await expect.poll(() => troubles(hub), SOON).toEqual(['database_stalled']);
    await expect(perform(healthReady, hub, { ip: '127.0.0.1' }, {})).resolves.toEqual({ status: 'ok' });
    expect(await drainHubOn(server.url, hub.store.cluster?.hubId ?? '', true)).toBe('draining');
    // What hubs tell each other waits as well, on the same connection.
    const connected = await sessions();
    hub.failedLogins.add('ann', hub.clock.now());
    await expect.poll(async () => (await admin.query(NOTIFYING)).rows).toHaveLength(1);
    await expect.poll(async () => (await admin.query(NOTIFYING)).rows).toEqual([]); // it has given up, and tries again
    await expect.poll(async () => (await admin.query(NOTIFYING)).rows).toHaveLength(1);
    expect(await sessions()).toEqual(connected);
    // Otherwise, it would first write that the brief task has expired.
    await expect(outcomeOf(perform(queryTasks, hub, caller, {}))).resolves.toBe('ok');

    await follow('');
    await expect(first).resolves.toBe('ok');
    await expect.poll(() => other.failedLogins.count('ann', other.clock.now())).toBe(1);
    await expect.poll(() => troubles(hub)).toEqual([]);
    await expect(sent(hub, caller, 'later')).resolves.toBe('ok');
    expect(
      (await rowsOf({ hub }, 'SELECT content FROM tasks ORDER BY task_seq')).map(({ content }) => content),
    ).toEqual(['brief', 'first', 'later']);
  });

  test('on a connection that was lost unnoticed run again on another one', async () => {
    const line = await openLine(await createEmptyPostgres());
    onTestFinished(line.close);
    const hub = await openHubOn(line.url);
    const caller = await foundNetwork(hub);
    line.cutLast(); // the one that writes
    const first = sent(hub, caller, 'first');
    await expect(first).resolves.toBe('ok');
  });
});
