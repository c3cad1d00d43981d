// A database server that is killed while a hub writes to it, or cannot be reached over a broken network.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openLine } from '../../../scripts/support/network-line.ts';
import { type PostgresServer, startPostgres } from '../../../scripts/support/postgres-server.ts';
import type { Caller } from '../../../server/domain/accounts/caller.ts';
import { perform } from '../../../server/operations/operation.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { outcomeOf, rowsOf } from '../../support/fixture.ts';
import { SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn, type TestHub } from '../../support/test-hub.ts';

const ROUNDS = 3;
/** Each lasts until the hub has given the server up. */
const CUTS = 2;
const SENDERS = 16;

/** Senders that send one task after the other. */
function openSenders(hub: TestHub, caller: Caller & { network_id: string }) {
  const acknowledged: string[] = [];
  const refused: unknown[] = [];
  let isOver = false;
  const send = async (sender: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const task = `task ${sender} ${n}`;
      await perform(sendTask, hub, caller, { alias: 'bob', task, from_session: `alice-${sender}` }).then(
        () => acknowledged.push(task),
        (error) => refused.push(error),
      );
    }
  };
  const sending = Array.from({ length: SENDERS }, (_, sender) => send(sender));
  const end = async (): Promise<void> => {
    isOver = true;
    await Promise.all(sending);
  };
  return { acknowledged, refused, end };
}

/** Undefined if it has none a moment after the clock of the hub went on by some seconds. */
async function afterSeconds(hub: TestHub, outcome: Promise<string>): Promise<string | undefined> {
  hub.clock.advance(6_000);
  return Promise.race([outcome, sleep(50, undefined)]);
}

/** Each acknowledged send is stored and has an event, and nothing else is and has. */
async function expectStored(hub: TestHub, acknowledged: readonly string[]): Promise<void> {
  const stored = (await rowsOf({ hub }, 'SELECT content FROM tasks')).map(({ content }) => String(content));
  expect(stored.toSorted()).toEqual(acknowledged.toSorted());
  const events = await rowsOf({ hub }, 'SELECT event_seq FROM task_events ORDER BY event_seq');
  expect(events).toHaveLength(acknowledged.length);
}

async function openDurable(): Promise<PostgresServer> {
  const server = await startPostgres({ isDurable: true });
  if (server === undefined) throw new Error('there was a server for the other tests');
  onTestFinished(server.stop);
  return server;
}

test.skipIf(SERVER === undefined)('a server that is killed under load loses and doubles nothing', async () => {
  const server = await openDurable();
  const hub = await openHubOn(server.url);
  const { acknowledged, refused, end } = openSenders(hub, await foundNetwork(hub));
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + SENDERS);
    await server.kill();
    await server.start();
  }
  await end();
  expect(refused).toEqual([]);
  await expectStored(hub, acknowledged);
});

test.skipIf(SERVER === undefined)(
  'a hub that is cut off refuses what has not begun, and nothing of it is stored',
  async () => {
    const server = await openDurable();
    const line = await openLine(server.url);
    onTestFinished(line.close);
    const hub = await openHubOn(line.url);
    const caller = await foundNetwork(hub);
    const { acknowledged, end } = openSenders(hub, caller);
    for (let round = 0; round < CUTS; round++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + SENDERS);
      line.cut(); // perhaps after the server has received a commit, which then waits for the answer
      const late = perform(sendTask, hub, caller, { alias: 'bob', task: `late ${round}`, from_session: 'alice' });
      const outcome = outcomeOf(late);
      await expect.poll(() => afterSeconds(hub, outcome)).toBe('unavailable');
      line.repair();
    }
    await end();
    await expectStored(hub, acknowledged);
  },
);
