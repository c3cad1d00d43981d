// Two hubs on one PostgreSQL database: what one commits, the other tells and obeys.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newSetupToken } from '../../../server/domain/accounts/setup-token.ts';
import type { StreamEvent } from '../../../server/domain/events.ts';
import { SETUP_TOKEN_MS } from '../../../server/domain/limits.ts';
import { watchAccess } from '../../../server/operations/access/watch-access.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { perform } from '../../../server/operations/operation.ts';
import { getSessionStatus } from '../../../server/operations/sessions/get-session-status.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { identifyHash } from '../../../server/operations/tokens/identify.ts';
import { markRemoved } from '../../../server/store/bulk/network-removal.ts';
import * as networks from '../../../server/store/networks.ts';
import * as tokens from '../../../server/store/tokens.ts';
import { writeHeartbeats } from '../../../server/sweeps/write-heartbeats.ts';
import { type Fixture, outcomeOf, report, rowsOf, send } from '../../support/fixture.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn, openTwoHubs, type TestHub } from '../../support/test-hub.ts';

/** The same caller at two hubs. */
async function openBoth(): Promise<[Fixture, Fixture]> {
  const hubs = await openTwoHubs();
  const caller = await foundNetwork(hubs[0]);
  const at = (hub: TestHub): Fixture => ({
    hub,
    caller,
    ask: (operation, input) => perform(operation, hub, caller, input),
  });
  return [at(hubs[0]), at(hubs[1])];
}

function eventsAt({ hub, caller }: Fixture): StreamEvent[] {
  const received: StreamEvent[] = [];
  hub.broker.subscribe({ networks: [caller.network_id] }, (event) => received.push(event));
  return received;
}

/** A caller with a network token, as a request would have it. */
async function bearerOf({ hub, caller: owner }: Fixture, n = 0) {
  const token = tokenOf(owner, n);
  await hub.store.write((tx) => tokens.insert(tx, token));
  const caller = await identifyHash(hub, token.hash, '127.0.0.1');
  if (caller === undefined) throw new Error('the token is unknown');
  return caller;
}

function tokenOf({ user_id, network_id }: Fixture['caller'], n: number) {
  return {
    token_id: `tok_${n}`,
    hash: `hash ${n}`,
    user_id,
    network_id,
    kind: 'network',
    name: 'work',
    expires_at: null,
  } as const;
}

/** The aliases that have mail, with the tasks in it in order. */
async function inboxesOf(at: Fixture, aliases: readonly string[]): Promise<[string, unknown[]][]> {
  const inboxes = aliases.map(async (alias): Promise<[string, unknown[]]> => {
    const { messages } = await at.ask(getInbox, { alias });
    return [alias, messages.map(({ task_id }) => task_id)];
  });
  return (await Promise.all(inboxes)).filter(([, tasks]) => tasks.length > 0);
}

/** For each write. Of a hub that had to be lucky, hundreds. */
const MOST_CHANGES = 50;

describe.skipIf(SERVER === undefined)('two hubs', () => {
  test('publish the events of both, each once and in order', async () => {
    const both = await openBoth();
    const received = both.map(eventsAt);
    await Promise.all(
      both.flatMap((each, at) => Array.from({ length: 40 }, (_, n) => send(each, { task: `build ${at} ${n}` }))),
    );
    await expect.poll(() => received.map(({ length }) => length)).toEqual([160, 160]);
    for (const events of received)
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 160 }, (_, n) => n + 1));
    expect(new Set(received[1]?.map(({ name }) => name))).toEqual(new Set(['task', 'new_task']));
  });

  test('let one of many concurrent transitions win', async () => {
    const both = await openBoth();
    const task_id = await send(both[0]);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => outcomeOf((both[n % 2] ?? both[0]).ask(cancelTask, { task_id }))),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
  });

  test('accept the setup link that the other has printed, until it expires', async () => {
    const [here, there] = await openTwoHubs();
    const settings = { public_url: 'https://hub.example.org' };
    const signUp = (bearer: string) =>
      outcomeOf(
        perform(
          register,
          { ...there, settings: { ...there.settings, ...settings } },
          { ip: '192.0.2.1', bearer },
          { username: 'ann', password: 'secret' },
        ),
      );
    const { token } = here.setup;
    here.clock.advance(2 * SETUP_TOKEN_MS);
    expect(await signUp(token)).toMatch(/^setup_token_(expired|required)$/);
    expect(await signUp('a guess')).toBe('setup_token_required');
    const late = newSetupToken('', here.clock.now(), here.store.idKey);
    here.clock.advance(SETUP_TOKEN_MS);
    expect(await signUp(late.token)).toBe('ok');
  });

  test('write while access rights change all the time', async () => {
    const database = await createPostgres();
    const hub = await openHubOn(database);
    const caller = await foundNetwork(hub);
    const changing = new Client(database); // in place of the other hub
    await changing.connect();
    onTestFinished(() => changing.end());
    let [changes, isOver] = [0, false];
    const change = async (): Promise<void> => {
      for (; !isOver; changes += 1) {
        await changing.query('UPDATE hub SET access_version = access_version + 1');
        await sleep(1);
      }
    };
    const changed = change();
    for (let n = 0; n < 20; n++)
      await perform(sendTask, hub, caller, { alias: 'bob', task: `build ${n}`, from_session: 'ann' });
    isOver = true;
    await changed;
    expect(changes / 20).toBeLessThan(MOST_CHANGES);
  });

  test('send once what has one idempotency key', async () => {
    const both = await openBoth();
    const keyed = { alias: 'bob', task: 'build', from_session: 'alice', idempotency_key: 'k1' };
    const sent = await Promise.all(Array.from({ length: 10 }, (_, n) => (both[n % 2] ?? both[0]).ask(sendTask, keyed)));
    expect(new Set(sent.map(({ task_id }) => task_id)).size).toBe(1);
    expect(await rowsOf(both[0], 'SELECT count(*) AS n FROM tasks')).toEqual([{ n: 1 }]);
  });

  test('refuse a text with a character that PostgreSQL cannot store, and nothing else of its group', async () => {
    const [here] = await openBoth();
    const refused = outcomeOf(send(here, { task: 'build\0it' }));
    const sent = await Promise.all(Array.from({ length: 5 }, (_, n) => send(here, { task: `build ${n}` })));
    expect(await refused).toBe('invalid_request');
    expect(await rowsOf(here, 'SELECT task_id FROM tasks ORDER BY task_seq')).toHaveLength(sent.length);
  });

  test('know the number of a network from the write that creates it to the one that removes it', async () => {
    const [here, there] = await openBoth();
    const created = { network_id: 'net_new', network_name: 'new', owner_id: here.caller.user_id, max_members: 5 };
    const seqs = await here.hub.store.write(async (tx) => {
      await networks.insert(tx, { ...created, description: '', trial_ends_at: null });
      const seq = tx.networkSeq('net_new');
      await markRemoved(tx, 'net_new');
      return [seq, tx.networkSeq('net_new')];
    });
    expect(seqs).toEqual([expect.any(Number), null]);
    await here.hub.store.write((tx) =>
      networks.insert(tx, { ...created, network_id: 'net_kept', description: '', trial_ends_at: null }),
    );
    const seqAt = (each: Fixture) => each.hub.store.read(async (reader) => reader.networkSeq('net_kept'));
    expect(await seqAt(there)).toBe(await seqAt(here));
    expect(await seqAt(there)).not.toBeNull();
    await here.hub.store.write((tx) => markRemoved(tx, 'net_kept'));
    for (const each of [here, there]) expect(await seqAt(each)).toBeNull();
  });

  test('end what was opened at one when the other revokes the token', async () => {
    const [here, there] = await openBoth();
    const access = await bearerOf(there);
    const ended = new Promise<void>((end) => void watchAccess(there.hub, access, end));
    await here.hub.store.write((tx) => tokens.remove(tx, access.user_id, access.token_id));
    await ended;
    await expect.poll(() => there.hub.store.accessVersion()).toBe(here.hub.store.accessVersion());
  });

  test('refuse what the other one has just revoked, also together with another change of rights', async () => {
    const [here, there] = await openBoth();
    const { network_id } = there.caller;
    for (let round = 0; round < 20; round += 2) {
      const other = tokenOf(there.caller, round + 1);
      await there.hub.store.write((tx) => tokens.insert(tx, other));
      const access = await bearerOf(there, round);
      await here.hub.store.write((tx) => tokens.remove(tx, access.user_id, access.token_id));
      // Before the other hub has heard of it, in one group: the send comes first.
      const sending = perform(sendTask, there.hub, access, { alias: 'bob', task: `${round}`, from_session: 'alice' });
      while (there.hub.store.queues().writes.count === 0) await null;
      const changing = there.hub.store.write((tx) => tokens.remove(tx, other.user_id, other.token_id), {
        tenant: network_id,
        networks: [network_id],
      });
      const [sent] = await Promise.allSettled([sending, changing]);
      expect(sent).toMatchObject({ status: 'rejected', reason: { code: 'unauthorized' } });
    }
    expect(await rowsOf(there, 'SELECT count(*) AS count FROM tasks')).toEqual([{ count: 0 }]);
    expect(await rowsOf(there, 'SELECT count(*) AS count FROM tokens')).toEqual([{ count: 0 }]);
  });

  test('take no agent offline whose heartbeats the other one has not stored yet', async () => {
    const [here, there] = await openBoth();
    await report(here, 'bob');
    const statusOf = async () => (await here.ask(getSessionStatus, { alias: 'bob' })).session.status;
    await writeHeartbeats(here.hub);
    await writeHeartbeats(there.hub);
    await expect.poll(() => here.hub.heartbeats.othersStoredUntil()).toBe(there.hub.clock.now());
    here.hub.clock.advance(601_000);
    // Bob has an open stream at the other hub, which has not stored that yet.
    const leave = there.hub.heartbeats.hold(there.caller.network_id, 'bob');
    expect(await statusOf()).toBe('idle');
    await writeHeartbeats(there.hub);
    await expect.poll(() => here.hub.heartbeats.othersStoredUntil()).toBe(there.hub.clock.now());
    expect(await statusOf()).toBe('idle');
    leave(there.hub.clock.now());
    here.hub.clock.advance(601_000);
    await writeHeartbeats(there.hub);
    await expect.poll(statusOf).toBe('offline');
  });

  test('have one leader, and another one when it stops', async () => {
    const [here, there] = await openBoth();
    const leaders = () => [here, there].filter(({ hub }) => hub.store.isLeader());
    await expect.poll(leaders).toHaveLength(1);
    const [first] = leaders();
    await first?.hub.store.close();
    await expect.poll(() => leaders().filter((each) => each !== first)).toHaveLength(1);
  });

  test('wake what waits at the other one', async () => {
    const [here, there] = await openBoth();
    await report(there, 'bob');
    const waiting = there.ask(getInbox, { alias: 'bob', wait_seconds: 60 });
    await send(here);
    expect((await waiting).messages).toHaveLength(1);
  });

  test('keep the mail of an agent together that is renamed at both at once', async () => {
    const [here, there] = await openBoth();
    await report(here, 'bob');
    const sent = [await send(here), await send(there)];
    const aliases = ['carl', 'dora', 'erik', 'fred'];
    const rename = (alias: string, n: number) => report(n % 2 === 0 ? here : there, alias, { resume_id: 'bob-1' });
    await Promise.all(aliases.map(rename));
    const [session, ...others] = await rowsOf(there, 'SELECT alias FROM sessions');
    expect(others).toEqual([]);
    expect(await inboxesOf(there, ['bob', ...aliases])).toEqual([[session?.['alias'], sent]]);
  });

  test('merge the inboxes of two agents that are given one alias, one at each', async () => {
    const [here, there] = await openBoth();
    await report(here, 'bob');
    await report(there, 'amy');
    const sent = [await send(here), await send(there, { alias: 'amy' })];
    await Promise.all([report(here, 'zoe', { resume_id: 'bob-1' }), report(there, 'zoe', { resume_id: 'amy-1' })]);
    expect(await inboxesOf(there, ['bob', 'amy', 'zoe'])).toEqual([['zoe', expect.arrayContaining(sent)]]);
    expect(await rowsOf(there, 'SELECT alias FROM sessions')).toEqual([{ alias: 'zoe' }]);
  });
});
