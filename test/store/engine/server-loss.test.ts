// A database server that is killed while a hub writes to it.
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../scripts/support/postgres-server.ts';
import { perform } from '../../../server/operations/operation.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { rowsOf } from '../../support/fixture.ts';
import { SERVER } from '../../support/store/postgres.ts';
import { foundNetwork, openHubOn } from '../../support/test-hub.ts';

const ROUNDS = 3;
const SENDERS = 16;

test.skipIf(SERVER === undefined)('a server that is killed under load loses and doubles nothing', async () => {
  const server = await startPostgres({ isDurable: true });
  if (server === undefined) throw new Error('there was a server for the other tests');
  onTestFinished(server.stop);
  const hub = await openHubOn(server.url);
  const caller = await foundNetwork(hub);
  const acknowledged: string[] = [];
  let isOver = false;
  const send = async (sender: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const task = `task ${sender} ${n}`;
      await perform(sendTask, hub, caller, { alias: 'bob', task, from_session: `alice-${sender}` });
      acknowledged.push(task);
    }
  };
  const sending = Array.from({ length: SENDERS }, (_, sender) => send(sender));
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + SENDERS);
    await server.kill();
    await server.start();
  }
  isOver = true;
  await Promise.all(sending);
  const stored = (await rowsOf({ hub }, 'SELECT content FROM tasks')).map(({ content }) => String(content));
  expect(stored.toSorted()).toEqual(acknowledged.toSorted());
  const events = await rowsOf({ hub }, 'SELECT event_seq FROM task_events ORDER BY event_seq');
  expect(events).toHaveLength(acknowledged.length);
});
