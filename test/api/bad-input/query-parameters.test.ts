// The number of query parameters is limited before Koa parses them, because Koa takes quadratic time for a repeated
// parameter.
import { expect, test } from 'vitest';
import { MAX_QUERY_PARAMETERS } from '../../../server/domain/limits.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { serveHub } from '../../support/served-hub.ts';

const REFUSED = { status: 400, body: { message: `the query must have at most ${MAX_QUERY_PARAMETERS} parameters` } };

test.each([
  '/api/tasks',
  '/api/auth/login',
  '/hooks/claude-code',
  '/health/live',
  '/events/bob',
  '/openapi.json',
  '/mcp',
  '/nowhere',
])('%s', async (path) => {
  const hub = await serveHub();
  const rest = restClient(hub.url, hub.networkToken);
  const query = (count: number): string => `${path}?${Array(count).fill('a').join('&')}`;
  expect(await rest.get(query(MAX_QUERY_PARAMETERS + 1))).toMatchObject(REFUSED);
  expect(await rest.get(query(7_000))).toMatchObject(REFUSED);
  expect(await rest.post(query(MAX_QUERY_PARAMETERS + 1), {})).toMatchObject(REFUSED);
  if (path !== '/events/bob') expect(await rest.get(query(MAX_QUERY_PARAMETERS))).not.toMatchObject(REFUSED);
});
