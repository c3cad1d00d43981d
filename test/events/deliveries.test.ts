// Followers receive events in order, a few in each turn of the event loop, and one tenant's followers hardly delay
// another's.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { StreamEvent } from '../../server/domain/events.ts';
import { openBroker } from '../../server/events/broker.ts';
import { type Follower, openDeliveries, openLane } from '../../server/events/deliveries.ts';

const event = (seq: number, network_id = 'net_1', alias: string | null = null): StreamEvent => ({
  seq,
  network_id,
  alias,
  name: 'task',
  data: '{}',
  created_at: 0,
});

const fail = (error: unknown): never => expect.unreachable(String(error));

type Received = Follower & { seqs: number[]; losses: number };

/** `onTake` runs for each batch. */
function follower(onTake: () => void = () => {}): Received {
  const received: Received = {
    seqs: [],
    losses: 0,
    take: (events) => {
      onTake();
      received.seqs.push(...events.map(({ seq }) => seq));
    },
    lost: () => void (received.losses += 1),
  };
  return received;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('every follower gets every event, in order', async () => {
  const broker = openBroker(fail);
  const followers = Array.from({ length: 50 }, () => follower());
  for (const each of followers) broker.follow({ networks: ['net_1'] }, each);
  for (const seq of numbers(100)) broker.publish([event(seq)]);
  await expect.poll(() => followers.every(({ seqs }) => seqs.length === 100)).toBe(true);
  for (const { seqs } of followers) expect(seqs).toEqual(numbers(100));
});

test('a follower of several networks gets their events in the order they were published', async () => {
  const broker = openBroker(fail);
  const both = follower();
  broker.follow({ networks: ['net_1', 'net_2'] }, both);
  for (let count = 0; count < 1_000; count++) broker.follow({ networks: ['net_1'] }, follower());
  for (const seq of numbers(60)) broker.publish([event(seq, seq % 3 === 0 ? 'net_2' : 'net_1')]);
  await expect.poll(() => both.seqs.length).toBe(60);
  expect(both.seqs).toEqual(numbers(60));
});

test('it is called for its topic only', async () => {
  const broker = openBroker(fail);
  const [bob, comma, network] = [follower(), follower(), follower()];
  broker.follow({ networks: ['net_1', 'net_2'], alias: 'bob' }, bob);
  broker.follow({ networks: ['net_1'], alias: 'bob","net_2 bob' }, comma);
  broker.follow({ networks: ['net_1'] }, network);
  broker.publish([event(1, 'net_1', 'bob'), event(2, 'net_1', 'carol'), event(3, 'net_2', 'bob'), event(4, 'net_2')]);
  await expect.poll(() => network.seqs).toEqual([1, 2]);
  expect([bob.seqs, comma.seqs]).toEqual([[1, 3], []]);
});

test('a removed follower gets nothing more, even during a delivery', async () => {
  const broker = openBroker(fail);
  const leavers: (() => void)[] = [];
  const first = follower(() => leavers.forEach((leave) => leave()));
  broker.follow({ networks: ['net_1'] }, first);
  const second = follower();
  leavers.push(broker.follow({ networks: ['net_1'] }, second));
  broker.publish([event(1)]);
  await expect.poll(() => first.seqs).toEqual([1]);
  await nextTurn();
  expect(second.seqs).toEqual([]);
});

test('a failing follower does not affect the others', async () => {
  const errors: unknown[] = [];
  const broker = openBroker((error) => errors.push(error));
  broker.follow(
    { networks: ['net_1'] },
    follower(() => {
      throw new Error('deaf');
    }),
  );
  const other = follower();
  broker.follow({ networks: ['net_1'] }, other);
  broker.publish([event(1)]);
  await expect.poll(() => other.seqs).toEqual([1]);
  expect(errors).toHaveLength(1);
});

test('a turn of the event loop ends after 1 ms of deliveries, and tenants share it', async () => {
  let now = 0;
  const took = { large: 0, small: 0 };
  const deliveries = openDeliveries(fail, () => now);
  const large = openLane('net_1');
  const small = openLane('net_2');
  for (let count = 0; count < 1_000; count++)
    large.followers.add(
      follower(() => {
        now += 0.25;
        took.large += 1;
      }),
    );
  small.followers.add(
    follower(() => {
      now += 0.25;
      took.small += 1;
    }),
  );
  deliveries.add(large, event(1));
  deliveries.add(small, event(2, 'net_2'));
  await nextTurn();
  expect(took).toEqual({ large: 3, small: 1 });
  const before = took.large;
  await nextTurn();
  expect(took.large - before).toBe(4);
});

test('when the queue limit is exceeded, the followers are notified, and later events reach them again', async () => {
  const deliveries = openDeliveries(fail);
  const lane = openLane('net_1');
  const [one, other] = [follower(), follower()];
  lane.followers.add(one).add(other);
  for (const seq of numbers(1_001)) deliveries.add(lane, event(seq));
  expect([one.losses, other.losses]).toEqual([1, 1]);
  deliveries.add(lane, event(1_002));
  await expect.poll(() => other.seqs).toEqual([1_002]);
  expect(one.seqs).toEqual([1_002]);
});
