// The interface tests have a row for every route and every tool, with a rule for every member, and no other rows.
import { expect, test } from 'vitest';
import { ROUTES } from '../../server/http/routes.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import type { AnyOperation } from '../../server/operations/operation.ts';
import { ENDPOINT_ROWS } from '../api/interface/rest/endpoints.ts';
import { TOOL_ROWS } from '../api/interface/tools.ts';

test('every route has a row, and every row a route', () => {
  expect(Object.keys(ENDPOINT_ROWS).sort()).toEqual(ROUTES.map(([method, path]) => `${method} ${path}`).sort());
});

test('every tool has a row, and every row a tool', () => {
  expect(Object.keys(TOOL_ROWS).sort()).toEqual(TOOLS.map(({ operation }) => operation.name).sort());
});

test.each(ROUTES)('the row of %s %s has a rule for every member', (method, path, operation) => {
  const inPath = path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1));
  expect([...inPath, ...Object.keys(ENDPOINT_ROWS[`${method} ${path}`]?.members ?? {})].sort()).toEqual(
    membersOf(operation),
  );
});

test.each(TOOLS.map(({ operation }) => [operation.name, operation] as const))(
  'the row of %s has a rule for every parameter',
  (name, operation) => {
    const { parameters = {}, additions = {} } = TOOL_ROWS[name] ?? {};
    expect([...Object.keys(parameters), ...Object.keys(additions)].sort()).toEqual(membersOf(operation));
  },
);

function membersOf({ input }: AnyOperation): string[] {
  return Object.keys(input.entries).sort();
}
