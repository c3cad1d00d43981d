import { expect, test } from 'vitest';
import { isFilteredPage, sensibleQuery } from '../../../console/find/saved/sensible-query.ts';
import { ROUTES } from '../../../console/routes.ts';

test.each([
  ['tasks', { status: 'failed', to: 'gone', view: 'board' }, []],
  ['tasks', { status: 'parked', color: 'blue', to: 'gone' }, ['status: parked', 'color: blue']],
  ['tasks', { age: 'under-1d', priority: 'urgent', dialog: 'filters' }, ['priority: urgent', 'dialog: filters']],
  ['agents', { status: 'idle', sort: '-seen', server: 'mars' }, []],
  ['agents', { sort: 'height', text: 7, toString: 'x' }, ['sort: height', 'text: 7', 'toString: x']],
  ['messages', { of: 'a', with: 'b', kind: 'reply' }, ['kind: reply']],
  ['search', { text: 'wall' }, []],
] as const)('a filter of %s keeps what makes sense: %j', (page, query, dropped) => {
  const sensible = sensibleQuery(page, query);
  expect(sensible.dropped).toEqual(dropped);
  expect(Object.keys(sensible.kept)).toHaveLength(Object.keys(query).length - dropped.length);
  expect(query).toMatchObject(sensible.kept);
});

test('every page with filters has an address', () => {
  for (const page of ['tasks', 'agents', 'messages', 'search']) {
    expect(isFilteredPage(page)).toBe(true);
    expect(ROUTES.some(({ name }) => name === page)).toBe(true);
  }
  for (const other of ['toString', 'overview', 7, null]) expect(isFilteredPage(other)).toBe(false);
});
