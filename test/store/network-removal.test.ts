// A removed network disappears at once. Its rows are deleted in small commits that let others write, and no other
// network is affected.
import { expect, test } from 'vitest';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { deleteNetwork } from '../../server/operations/networks/delete-network.ts';
import { listNetworks } from '../../server/operations/networks/list-networks.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { markRemoved } from '../../server/store/bulk/network-removal.ts';
import { removeNetworks } from '../../server/sweeps/sweeps.ts';
import {
  as,
  dump,
  type Fixture,
  openFixture,
  outcomeOf,
  type Row,
  report,
  restarted,
  rowsOf,
  send,
} from '../support/fixture.ts';
import { restClient } from '../support/http/rest-client.ts';
import { serveHub } from '../support/served-hub.ts';
import { foundNetwork } from '../support/test-hub.ts';
import { ticking } from '../support/ticking.ts';
import { watched } from '../support/watched-writes.ts';

const TASKS = 250;
/** Rows per statement. Each may change two more, such as the count of an inbox and a broadcast. */
const ROWS_PER_STEP = 8;

/** The public id of a network and its number. */
type Keys = { network_id: string; network_seq: number | null };

function keysOf({ hub, caller: { network_id } }: Fixture): Promise<Keys> {
  return hub.store.read(async (reader) => ({ network_id, network_seq: reader.networkSeq(network_id) }));
}

/** Tables with rows of this network, by id or number, and their row counts. */
function countOf(tables: Record<string, Row[]>, keys: Keys): Record<string, number> {
  const isOfNetwork = (row: Row): boolean =>
    row['network_id'] === keys.network_id || row['network_seq'] === keys.network_seq;
  const counts = Object.entries(tables).map(([name, rows]) => [name, rows.filter(isOfNetwork).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

async function openTwoNetworks(): Promise<{ removed: Fixture; other: Fixture }> {
  const removed = await openFixture();
  const other = as(removed, await foundNetwork(removed.hub));
  for (const each of [removed, other]) {
    await report(each, 'bob');
    await Promise.all(Array.from({ length: TASKS }, (_, number) => send(each, { task: `task ${number}` })));
    await each.ask(reportCompletion, { alias: 'bob', task: 'task 1', result: 'done' });
    await each.ask(broadcast, { content: 'to all' });
  }
  return { removed, other };
}

test.each([
  { rows: 'slow', stepMs: 10, commits: { least: (3 * TASKS) / ROWS_PER_STEP, most: 4 * TASKS } },
  { rows: 'fast', stepMs: 0.001, commits: { least: 1, most: 3 } },
])(
  'its rows are deleted in portions, small ones of $rows rows, and those of other networks stay',
  async ({ stepMs, commits }) => {
    const { removed, other } = await openTwoNetworks();
    const task_id = await send(removed);
    for (let attempt = 1; attempt <= 2 * ROWS_PER_STEP; attempt++) {
      await removed.ask(cancelTask, { task_id });
      await removed.ask(retryTask, { task_id });
    }
    const [gone, left] = [await keysOf(removed), await keysOf(other)];
    const before = await dump(removed);
    await removed.hub.store.write((tx) => markRemoved(tx, gone.network_id));
    const { seen, hub } = watched(removed.hub);
    expect(await removeNetworks(hub, ticking(stepMs))).toEqual({ networks: 1 });
    expect(seen.writes).toBeGreaterThanOrEqual(commits.least);
    expect(seen.writes).toBeLessThanOrEqual(commits.most);
    expect(seen.most).toBeLessThanOrEqual(3 * ROWS_PER_STEP);
    const after = await dump(removed);
    expect(Object.keys(countOf(before, gone)).sort()).toEqual([
      'broadcasts',
      'completions',
      'duration_counts',
      'events',
      'inboxes',
      'members',
      'messages',
      'move_counts',
      'networks',
      'session_counts',
      'sessions',
      'task_counts',
      'task_events',
      'tasks',
    ]);
    expect(countOf(after, gone)).toEqual({});
    expect(countOf(after, left)).toEqual(countOf(before, left));
  },
);

test('others can write while its rows are deleted', async () => {
  const { removed, other } = await openTwoNetworks();
  await removed.hub.store.write((tx) => markRemoved(tx, removed.caller.network_id));
  let isRemoved = false;
  const removal = removeNetworks(removed.hub, ticking(10)).then(() => (isRemoved = true));
  await send(other, { task: 'meanwhile' });
  expect(isRemoved).toBe(false);
  await removal;
  expect(await rowsOf(other, "SELECT count(*) AS count FROM tasks WHERE content = 'meanwhile'")).toEqual([
    { count: 1 },
  ]);
});

test('a hub that stops in between continues at its next start', async () => {
  const { removed } = await openTwoNetworks();
  const keys = await keysOf(removed);
  await removed.hub.store.write((tx) => markRemoved(tx, keys.network_id));
  const { seen, hub } = watched(removed.hub);
  const stopping = {
    ...hub,
    life: {
      get isStopping() {
        return seen.writes === 2;
      },
    },
  };
  expect(await removeNetworks(stopping, ticking(10))).toEqual({ networks: 0 });
  const next = await restarted(removed);
  expect(Object.keys(countOf(await dump(next), keys))).toEqual(expect.arrayContaining(['networks', 'tasks']));
  expect(await removeNetworks(next.hub)).toEqual({ networks: 1 });
  expect(countOf(await dump(next), keys)).toEqual({});
});

test('once removed, it is not found, listed or counted, and accepts nothing', async () => {
  const { removed } = await openTwoNetworks();
  const { network_id: networkId, user_id: userId } = removed.caller;
  const keys = await keysOf(removed);
  const owner = as(removed, {
    token_kind: 'user',
    memberships: [{ network_id: networkId, role: 'owner', trial_ends_at: null }],
  });
  await removed.hub.store.write((tx) =>
    tx.run("UPDATE sessions SET marked_offline = 1, status = 'offline' WHERE network_seq = ?", [keys.network_seq]),
  );
  expect(await outcomeOf(owner.ask(deleteNetwork, { network_id: networkId }))).toBe('ok');
  expect(await outcomeOf(owner.ask(deleteNetwork, { network_id: networkId }))).toBe('not_found');
  expect(await owner.ask(listNetworks, {})).toMatchObject({ networks: [] });
  expect(await rowsOf(removed, 'SELECT count(*) AS count FROM members WHERE user_id = ?', userId)).toEqual([
    { count: 0 },
  ]);
  expect(countOf(await dump(removed), keys)).not.toHaveProperty('tokens');
});

test('a network marked as removed in the file, with members and tokens left, admits no one', async () => {
  const { hub, url, networkToken, userToken } = await serveHub();
  await hub.store.write(async (tx) => {
    await tx.run('UPDATE hub SET access_version = access_version + 1', [], 'rights'); // such a file is found at startup, when the caller cache is empty
    await tx.run('UPDATE networks SET removed_at = 1');
  });
  const sent = await restClient(url, networkToken).post('/api/tasks', { alias: 'bob', task: 'build it' });
  const listed = await restClient(url, userToken).get('/api/networks');
  const sentAsUser = await restClient(url, userToken).post('/api/tasks', { alias: 'bob', task: 'build it' });
  expect([sent.status, listed.body, sentAsUser.status]).toMatchObject([401, { networks: [] }, 400]);
});
