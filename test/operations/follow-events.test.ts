// Follows events from a sequence number. Events stored during the replay arrive exactly once, whenever they are stored.
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../server/domain/events.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { type Following, followEvents, type Sink } from '../../server/operations/records/follow-events.ts';
import { as, type Fixture, openFixture, report } from '../support/fixture.ts';
import { eventIdOf } from '../support/store/event-ids.ts';
import { foundNetwork } from '../support/test-hub.ts';

const sendText = (fixture: Fixture, message: string, alias = 'bob') => fixture.ask(sendMessage, { alias, message });

async function sendMany(fixture: Fixture, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, (_, index) => `message ${index + 1}`);
  await Promise.all(messages.map((message) => sendText(fixture, message)));
  return messages;
}

const textOf = ({ data }: StreamEvent): string => JSON.parse(data).message;

/** From the first event. */
async function followAll(fixture: Fixture, topic: object = { alias: 'bob' }): Promise<Following> {
  return fixture.ask(followEvents, { ...topic, last_event_id: await eventIdOf(fixture, 0) });
}

/** Keeps what it receives. `isBehind` says after which events the feed must wait, `catchUp` what happens meanwhile. */
function sink(
  isBehind: (count: number) => boolean = () => false,
  catchUp: () => Promise<void> = async () => {},
): Sink & { got: StreamEvent[] } {
  const got: StreamEvent[] = [];
  return {
    got,
    send: (event) => {
      got.push(event);
      return !isBehind(got.length);
    },
    sentAll: () => {},
    drained: catchUp,
    missed: () => {},
    caughtUp: () => {},
    broken: (error) => expect.unreachable(String(error)),
  };
}

describe('events stored during a replay arrive once and in order', () => {
  test.each([
    ['after the first event of a page', 1],
    ['in the middle of a page', 100],
    ['after the last event of a full page', 200],
    ['after the last event of all', 250],
  ])('%s', async (_, when) => {
    const fixture = await openFixture();
    const missed = await sendMany(fixture, 250);
    const following = await followAll(fixture);
    const reader = sink(
      (count) => count === when,
      async () => {
        await sendText(fixture, 'meanwhile');
        await sendText(fixture, 'and then');
      },
    );
    await following.follow(reader);
    await sendText(fixture, 'live');
    await expect.poll(() => reader.got.map(textOf)).toEqual([...missed, 'meanwhile', 'and then', 'live']);
    following.end();
  });

  test('between the subscription and the first read', async () => {
    const fixture = await openFixture();
    await sendText(fixture, 'before');
    const following = await fixture.ask(followEvents, { alias: 'bob' });
    await sendText(fixture, 'in between');
    const reader = sink();
    const replay = following.follow(reader);
    await sendText(fixture, 'during');
    await replay;
    await sendText(fixture, 'after');
    await expect.poll(() => reader.got.map(textOf)).toEqual(['in between', 'during', 'after']);
    following.end();
  });

  test('with every event read, one for each', async () => {
    const fixture = await openFixture();
    await sendText(fixture, 'message 0');
    let written = 0;
    const reader = sink(
      () => written < 50,
      async () => void (await sendText(fixture, `message ${++written}`)),
    );
    const following = await followAll(fixture);
    await following.follow(reader);
    expect(reader.got.map(textOf)).toEqual(Array.from({ length: 51 }, (_, index) => `message ${index}`));
    following.end();
  });
});

test('a replay of many pages is complete and in order, with increasing numbers', async () => {
  const fixture = await openFixture();
  const missed = await sendMany(fixture, 1_000);
  const following = await followAll(fixture);
  const reader = sink();
  await following.follow(reader);
  expect(reader.got.map(textOf)).toEqual(missed);
  expect(reader.got.map(({ seq }) => seq)).toEqual(
    [...reader.got.map(({ seq }) => seq)].sort((one, other) => one - other),
  );
  following.end();
});

test('a reader that disconnects during its replay receives nothing more', async () => {
  const fixture = await openFixture();
  await sendMany(fixture, 250);
  const following = await followAll(fixture);
  const reader = sink(
    (count) => count === 100,
    async () => following.end(),
  );
  await following.follow(reader);
  await sendText(fixture, 'live');
  expect(reader.got).toHaveLength(100);
});

test('a reader that disconnects receives nothing more', async () => {
  const fixture = await openFixture();
  const [following, other] = [
    await fixture.ask(followEvents, { alias: 'bob' }),
    await fixture.ask(followEvents, { alias: 'bob' }),
  ];
  const [reader, otherReader] = [sink(), sink()];
  await Promise.all([following.follow(reader), other.follow(otherReader)]);
  await sendText(fixture, 'live');
  await expect.poll(() => reader.got.map(textOf)).toEqual(['live']);
  following.end();
  await sendText(fixture, 'later');
  await expect.poll(() => otherReader.got.map(textOf)).toEqual(['live', 'later']);
  expect(reader.got.map(textOf)).toEqual(['live']);
  other.end();
});

test('neither replay nor live events include those of another alias or network', async () => {
  const fixture = await openFixture();
  const outsider = as(fixture, await foundNetwork(fixture.hub));
  const sendAround = async (message: string): Promise<void> => {
    await sendText(fixture, `not for bob ${message}`, 'carol');
    await sendText(outsider, `of another network ${message}`);
    await report(fixture, 'bob');
    await sendText(fixture, message);
  };
  await sendAround('missed');
  const [ofBob, ofNetwork] = [await followAll(fixture), await followAll(fixture, {})];
  const [bob, network] = [sink(), sink()];
  await Promise.all([ofBob.follow(bob), ofNetwork.follow(network)]);
  await sendAround('live');
  const messages = () => network.got.filter(({ name }) => name === 'new_message').map(textOf);
  await expect.poll(messages).toEqual(['not for bob missed', 'missed', 'not for bob live', 'live']);
  expect(bob.got.map(textOf)).toEqual(['missed', 'live']);
  expect(new Set(network.got.map(({ network_id }) => network_id))).toEqual(new Set([fixture.caller.network_id]));
  ofBob.end();
  ofNetwork.end();
});

test('a commit with more events than a reader can queue still reaches it, once and in order', async () => {
  const fixture = await openFixture();
  const { network_id } = fixture.caller;
  const count = 2_500;
  const following = await fixture.ask(followEvents, {});
  const reader = sink();
  await following.follow(reader);
  await fixture.hub.store.write(async (tx) => {
    for (let number = 0; number < count; number++) {
      tx.publish({
        network_id,
        alias: 'bob',
        data: { type: 'broadcast', content: String(number), from: 'ann', message_id: `msg_${number}` },
      });
    }
  });
  await expect.poll(() => reader.got.length).toBe(count);
  expect(reader.got.map((event) => JSON.parse(event.data).content)).toEqual(
    Array.from({ length: count }, (_, number) => String(number)),
  );
  following.end();
});

describe('an alias with few of many events', () => {
  const OTHERS = 9_000;

  /** Three events for bob: before, among and after those of others. */
  async function sendFewAmongMany(fixture: Fixture): Promise<void> {
    await sendText(fixture, 'first');
    await publishToCarol(fixture, OTHERS / 2);
    await sendText(fixture, 'second');
    await publishToCarol(fixture, OTHERS / 2);
    await sendText(fixture, 'third');
  }

  const publishToCarol = ({ hub, caller: { network_id } }: Fixture, count: number): Promise<void> =>
    hub.store.write(async (tx) => {
      const data = { type: 'broadcast', content: 'x', from: 'ann', message_id: 'msg_0' } as const;
      for (let number = 0; number < count; number++) tx.publish({ network_id, alias: 'carol', data });
    });

  /** The same fixture; `onRead` runs before each read. */
  function onEachRead(fixture: Fixture, onRead: () => Promise<unknown>): Fixture {
    const read: typeof fixture.hub.store.read = async (...args) => {
      await onRead();
      return fixture.hub.store.read(...args);
    };
    return as({ ...fixture, hub: { ...fixture.hub, store: { ...fixture.hub.store, read } } }, {});
  }

  test('is searched in several reads, until all events were searched', async () => {
    const fixture = await openFixture();
    await sendFewAmongMany(fixture);
    let reads = 0;
    const following = await followAll(onEachRead(fixture, async () => ++reads));
    reads = 0;
    const reader = sink();
    await following.follow(reader);
    expect(reader.got.map(textOf)).toEqual(['first', 'second', 'third']);
    expect([reads > OTHERS / 2_000, reads < 10]).toEqual([true, true]);
    following.end();
  });

  test('receives those that arrive between the reads once and in order', async () => {
    const fixture = await openFixture();
    await sendFewAmongMany(fixture);
    let written = 0;
    const slow = onEachRead(fixture, async () => {
      if (written < 20) await sendText(fixture, `new ${++written}`);
    });
    const following = await followAll(slow);
    const reader = sink();
    await following.follow(reader);
    await sendText(fixture, 'live');
    const arrived = () => Array.from({ length: written }, (_, index) => `new ${index + 1}`);
    await expect.poll(() => reader.got.map(textOf)).toEqual(['first', 'second', 'third', ...arrived(), 'live']);
    following.end();
  });

  test('is not searched further for a reader that has disconnected', async () => {
    const fixture = await openFixture();
    await sendFewAmongMany(fixture);
    let following: Following | undefined;
    let reads = 0;
    const leaving = onEachRead(fixture, async () => {
      if (++reads === 2) following?.end();
    });
    following = await followAll(leaving);
    reads = 0;
    await following.follow(sink());
    expect(reads).toBe(2);
  });
});

test('a page of events whose messages were all removed does not end the replay', async () => {
  const fixture = await openFixture();
  const sent = await sendMany(fixture, 60);
  await fixture.hub.store.write((tx) => tx.run('DELETE FROM messages WHERE message_seq <= 40', [], 'inboxes'));
  const following = await followAll(fixture);
  const reader = sink();
  await following.follow(reader);
  expect(reader.got.map(textOf)).toEqual(sent.slice(40));
  following.end();
});
