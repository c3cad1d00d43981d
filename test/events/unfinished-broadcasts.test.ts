// Broadcasts that are delivered after their acknowledgement: one after the other in a network, and none is lost for the failure of another.
import { expect, test } from 'vitest';
import { openUnfinishedBroadcasts } from '../../server/events/unfinished-broadcasts.ts';

function open() {
  const begun: string[] = [];
  const errors: unknown[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (name: string) => ends.getOrInsertComputed(name, () => Promise.withResolvers<void>());
  const finish = (networkId: string, broadcastSeq: number): Promise<void> => {
    begun.push(`${networkId}/${broadcastSeq}`);
    return endOf(`${networkId}/${broadcastSeq}`).promise;
  };
  return { ...openUnfinishedBroadcasts(finish, (error) => errors.push(error)), begun, errors, endOf };
}

test('those of a network follow each other, those of two run side by side', async () => {
  const { begin, idle, begun, endOf } = open();
  for (const [network, number] of [['a', 1], ['a', 2], ['b', 3]] as const) begin(network, number);
  await expect.poll(() => begun).toEqual(['a/1', 'b/3']);
  endOf('a/1').resolve();
  await expect.poll(() => begun).toEqual(['a/1', 'b/3', 'a/2']);
  for (const name of ['a/2', 'b/3']) endOf(name).resolve();
  await idle();
});

test('a turn comes when all of the network have ended, and at once where none runs', async () => {
  const { begin, turn, endOf } = open();
  await turn('a');
  begin('a', 1);
  begin('a', 2);
  let hasTurn = false;
  const waiting = turn('a').then(() => (hasTurn = true));
  await turn('b');
  endOf('a/1').resolve();
  await endOf('a/1').promise;
  expect(hasTurn).toBe(false);
  endOf('a/2').resolve();
  await waiting;
});

test('one that fails is told of, and the next is delivered', async () => {
  const { begin, idle, begun, errors, endOf } = open();
  begin('a', 1);
  begin('a', 2);
  endOf('a/1').reject(new Error('the disk is full'));
  endOf('a/2').resolve();
  await idle();
  expect(begun).toEqual(['a/1', 'a/2']);
  expect(errors).toEqual([new Error('the disk is full')]);
});
