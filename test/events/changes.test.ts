// Changes to accounts and networks reach all open streams that follow them, a few in each turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openChanges } from '../../server/events/changes.ts';
import { openExchange } from '../../server/events/exchange.ts';

const MEMBERS = { what: 'members', network_id: 'net_1' } as const;
const USERS = { what: 'users' } as const;

test('thousands of listeners take many turns, in which others are served', async () => {
  let now = 0;
  const changes = openChanges(openExchange(), () => now);
  const heard: number[] = [];
  for (let listener = 0; listener < 1_000; listener++)
    changes.watch(() => {
      heard.push(listener);
      now += 0.1;
    });
  changes.announce(MEMBERS);
  expect(heard).toEqual([]); // not before the write returns
  let turns = 0;
  for (let before = -1; before < heard.length; turns++) {
    before = heard.length;
    await nextTurn();
    expect(heard.length - before).toBeLessThan(15);
  }
  expect(turns).toBeGreaterThan(70);
  expect(heard).toEqual(Array.from({ length: 1_000 }, (_, listener) => listener));
});

test('what changes again before a listener has its turn is passed once, and again if it changes later', async () => {
  const changes = openChanges(openExchange());
  const heard: string[] = [];
  const stop = changes.watch(({ what }) => heard.push(what));
  changes.announce(MEMBERS, USERS);
  for (let time = 0; time < 100; time++) changes.announce(MEMBERS);
  await nextTurn();
  expect(heard).toEqual(['members', 'users']);
  changes.announce(MEMBERS);
  await nextTurn();
  expect(heard).toEqual(['members', 'users', 'members']);
  stop();
  changes.announce(USERS);
  await nextTurn();
  expect(heard).toHaveLength(3);
});

test('what changes during a round is passed to all in the next one', async () => {
  let now = 0;
  const changes = openChanges(openExchange(), () => now);
  const heard: string[] = [];
  for (const name of ['one', 'two', 'three'])
    changes.watch(({ what }) => {
      heard.push(`${name} ${what}`);
      now += 2;
    });
  changes.announce(MEMBERS);
  await nextTurn();
  changes.announce(USERS);
  for (let turn = 0; turn < 6; turn++) await nextTurn();
  expect(heard).toEqual(
    ['members', 'users'].flatMap((what) => ['one', 'two', 'three'].map((name) => `${name} ${what}`)),
  );
});
