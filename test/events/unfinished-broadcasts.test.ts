// Broadcasts that are delivered after their acknowledgement, one at a time per network. A failure of one does not
// affect the next.
import { expect, test } from 'vitest';
import { openUnfinishedBroadcasts } from '../../server/events/unfinished-broadcasts.ts';

function open() {
  const begun: string[] = [];
  const errors: unknown[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const endOf = (name: string) => ends.getOrInsertComputed(name, () => Promise.withResolvers<void>());
  const finish = (networkId: string, broadcastSeq: number, userId: string): Promise<void> => {
    expect(userId).toBe('ada');
    begun.push(`${networkId}/${broadcastSeq}`);
    return endOf(`${networkId}/${broadcastSeq}`).promise;
  };
  return { ...openUnfinishedBroadcasts(finish, (error) => errors.push(error)), begun, errors, endOf };
}

test('broadcasts of one network run one after the other, those of two networks in parallel', async () => {
  const { deliver, waitForAll, begun, endOf } = open();
  for (const [network, number] of [
    ['a', 1],
    ['a', 2],
    ['b', 3],
  ] as const)
    deliver(network, number, 'ada');
  await expect.poll(() => begun).toEqual(['a/1', 'b/3']);
  endOf('a/1').resolve();
  await expect.poll(() => begun).toEqual(['a/1', 'b/3', 'a/2']);
  for (const name of ['a/2', 'b/3']) endOf(name).resolve();
  await waitForAll();
});

test('waiting ends when all broadcasts of the network are delivered, and at once if there are none', async () => {
  const { deliver, waitFor, endOf } = open();
  await waitFor('a');
  deliver('a', 1, 'ada');
  deliver('a', 2, 'ada');
  let isDelivered = false;
  const waiting = waitFor('a').then(() => (isDelivered = true));
  await waitFor('b');
  endOf('a/1').resolve();
  await endOf('a/1').promise;
  expect(isDelivered).toBe(false);
  endOf('a/2').resolve();
  await waiting;
});

test('a failure is reported, and the next broadcast is delivered', async () => {
  const { deliver, waitForAll, begun, errors, endOf } = open();
  deliver('a', 1, 'ada');
  deliver('a', 2, 'ada');
  endOf('a/1').reject(new Error('the disk is full'));
  endOf('a/2').resolve();
  await waitForAll();
  expect(begun).toEqual(['a/1', 'a/2']);
  expect(errors).toEqual([new Error('the disk is full')]);
});
