import { expect, test } from 'vitest';
import { openUsersAtClients } from '../../server/serve/listener/users-at-clients.ts';

test('knows the only user of a client, and none once there are several', () => {
  const { note, onlyUserAt } = openUsersAtClients();
  expect(onlyUserAt('home')).toBeUndefined();
  note('home', 'ada');
  note('home', 'ada');
  expect(onlyUserAt('home')).toBe('ada');
  note('home', 'bob');
  note('home', 'ada');
  expect(onlyUserAt('home')).toBeUndefined();
});

test('forgets the clients noted longest ago', () => {
  const { note, onlyUserAt } = openUsersAtClients(2);
  for (const client of ['one', 'two', 'three']) note(client, 'ada');
  expect(['one', 'two', 'three'].map(onlyUserAt)).toEqual([undefined, 'ada', 'ada']);
});
