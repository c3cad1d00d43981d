// The hub is killed twenty times in the middle of its work, and each time started again on the same data. What it had
// acknowledged is there, once; what it had not may be there, once.
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { launch, type Target } from '../support/hub-process.ts';
import { complaintsOf, listTasks, readRound, type Shown } from '../support/ledger-audit.ts';
import { mcpClient } from '../support/mcp-client.ts';
import { emptyLedger, startLoad, type Ledger } from '../support/mixed-load.ts';
import { register, restClient } from '../support/rest-client.ts';
import { startHub, story, type RunningHub } from '../support/running-hub.ts';
import { seededDraws, type Draws } from '../support/seeded.ts';
import { readStoredData } from '../support/stored-data.ts';

const KILLS = 20;
const LONGEST_ROUND_MS = 200;
const LONGEST_START_MS = { source: 400, binary: 150 };
const TIMEOUT_MS = 90_000;

story('kill -9 under load', (target) => {
  const title = `${KILLS} times, and again while it starts: nothing acknowledged is lost, nothing comes twice`;
  test(title, { timeout: TIMEOUT_MS }, async () => {
    const draws = seededDraws();
    let hub = await startHub({ target });
    const { data } = hub;
    const { networkToken } = await register(hub.url);
    const rounds: Ledger[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      rounds.push(await workUntilKilled(hub, networkToken, `round-${kill}`, draws));
      if (kill % 4 === 0) await killWhileStarting(target, data, draws);
      hub = await startHub({ target, data });
      await expectPromisesKept(hub, networkToken, rounds.at(-1));
    }
    await expectAllThere(hub, networkToken, rounds);
    expect(rounds.filter(({ brokenOff }) => brokenOff > 0)).toHaveLength(KILLS);
    expect(await hub.stop()).toBe(0);
  });
});

test('whoever breaks a promise is found out', () => {
  const kept = { ledger: ledgerOf({}), shown: shownOf({}) };
  expect(complaintsOf(kept.ledger, kept.shown)).toEqual([]);
  const delivered = { task_id: 't1', content: 'work', status: 'delivered' };
  const replied = { ...delivered, status: 'replied', result: 'done' };
  const broken: [Partial<Ledger>, Partial<Shown>][] = [
    [{ tasks: new Map([['t1', 'work']]) }, {}],
    [{ tasks: new Map([['t1', 'work']]) }, { tasks: [{ ...delivered, content: 'wor' }], workInboxes: [{ id: 't1', task_id: 't1' }] }],
    [{ messages: new Map([['m1', 'hello']]) }, {}],
    [{ replies: new Map([['t1', 'done']]) }, { tasks: [delivered], workInboxes: [{ id: 't1', task_id: 't1' }] }],
    [{ heard: new Set(['t1']) }, {}],
    [{ acked: new Set(['t1']) }, { tasks: [delivered], workInboxes: [{ id: 't1', task_id: 't1' }] }],
    [{}, { tasks: [delivered], workInboxes: [{ id: 't1', task_id: 't1' }, { id: 'm9', task_id: 't1' }] }],
    [{}, { tasks: [delivered] }],
    [{}, { tasks: [replied] }],
    [{}, { mailbox: [{ id: 'm1', content: 'hello' }, { id: 'm2', content: 'hello' }] }],
  ];
  for (const [ledger, shown] of broken) expect(complaintsOf(ledgerOf(ledger), shownOf(shown))).not.toEqual([]);
});

/** The moment is counted from the first answer: a kill that finds an idle hub proves nothing. */
async function workUntilKilled(hub: RunningHub, token: string, round: string, draws: Draws): Promise<Ledger> {
  const load = startLoad(hub.url, token, round);
  await Promise.race([load.begun, load.over]);
  await after(draws.below(LONGEST_ROUND_MS));
  await hub.kill('SIGKILL');
  await load.over;
  return load.ledger;
}

/** Recovery itself may be cut short. */
async function killWhileStarting(target: Target, data: string, draws: Draws): Promise<void> {
  const hub = launch({ target, args: ['--port', '0', '--data', data] });
  await after(draws.below(LONGEST_START_MS[target]));
  hub.child.kill('SIGKILL');
  await hub.ended;
}

async function expectPromisesKept(hub: RunningHub, token: string, ledger: Ledger | undefined): Promise<void> {
  if (ledger === undefined) throw new Error('there was no round');
  const shown = await readRound(mcpClient(hub.url, token), restClient(hub.url, token), ledger.round);
  expect(complaintsOf(ledger, shown)).toEqual([]);
  const stored = await readStoredData(hub.data);
  expect(await stored.rows('PRAGMA integrity_check')).toEqual([['ok']]);
  expect(await stored.rows('PRAGMA foreign_key_check')).toEqual([]);
  stored.close();
}

/** The rounds that were read before later kills are all still there, each task once. */
async function expectAllThere(hub: RunningHub, token: string, rounds: readonly Ledger[]): Promise<void> {
  const tasks = new Map((await listTasks(restClient(hub.url, token), '')).map((task) => [task.task_id, task.content]));
  for (const { tasks: acknowledged } of rounds) for (const [id, content] of acknowledged) expect(tasks.get(id)).toBe(content);
  expect(new Set(tasks.values()).size).toBe(tasks.size);
}

function ledgerOf(entries: Partial<Ledger>): Ledger {
  return { ...emptyLedger('r'), ...entries };
}

function shownOf(records: Partial<Shown>): Shown {
  return { tasks: [], workInboxes: [], replies: [], mailbox: [], ...records };
}
