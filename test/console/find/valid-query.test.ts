import { expect, test } from 'vitest';
import { isFilteredPage, validQuery } from '../../../console/find/saved/valid-query.ts';
import { ROUTES } from '../../../console/routes.ts';

test.each([
  ['tasks', { status: 'failed', to: 'gone', view: 'board' }, []],
  ['tasks', { status: 'parked', color: 'blue', to: 'gone' }, ['status: parked', 'color: blue']],
  ['tasks', { age: 'under-1d', priority: 'urgent', dialog: 'filters' }, ['priority: urgent', 'dialog: filters']],
  ['agents', { status: 'idle', sort: '-seen', server: 'mars' }, []],
  ['agents', { sort: 'height', text: 7, toString: 'x' }, ['sort: height', 'text: 7', 'toString: x']],
  ['messages', { of: 'a', with: 'b', kind: 'reply' }, ['kind: reply']],
  ['search', { text: 'wall' }, []],
] as const)('a filter of %s keeps its valid fields: %j', (page, query, dropped) => {
  const result = validQuery(page, query);
  expect(result.dropped).toEqual(dropped);
  expect(Object.keys(result.kept)).toHaveLength(Object.keys(query).length - dropped.length);
  expect(query).toMatchObject(result.kept);
});

test('every page with filters has an address', () => {
  for (const page of ['tasks', 'agents', 'messages', 'search']) {
    expect(isFilteredPage(page)).toBe(true);
    expect(ROUTES.some(({ name }) => name === page)).toBe(true);
  }
  for (const other of ['toString', 'overview', 7, null]) expect(isFilteredPage(other)).toBe(false);
});
