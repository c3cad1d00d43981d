// Additions for monitoring, as documented in the README: the headers of every response, and /metrics.
import { expect } from 'vitest';
import type { Row } from './row-tests.ts';

export const WATCHING_ROWS: readonly Row[] = [
  [
    'every response has X-Request-Id, including errors and streams',
    async (network) => {
      const { hub } = network.fixture;
      const ids = [];
      for (const path of [
        '/health',
        '/',
        '/api/tasks',
        '/nowhere',
        '/openapi.json',
        `/events/bob?token=${network.token}`,
      ]) {
        const response = await fetch(hub.url + path);
        await response.body?.cancel();
        ids.push(response.headers.get('x-request-id'));
      }
      expect(ids).toEqual(ids.map(() => expect.stringMatching(/^\w{12}$/)));
      expect(new Set(ids).size).toBe(ids.length);
    },
  ],
  [
    'a caller can set the id',
    async ({ fixture }) => {
      expect(
        (await fetch(`${fixture.hub.url}/health`, { headers: { 'X-Request-Id': 'trace-1' } })).headers.get(
          'x-request-id',
        ),
      ).toBe('trace-1');
    },
  ],
  [
    'GET /metrics: to this machine, in the Prometheus text format',
    async ({ fixture }) => {
      const response = await fetch(`${fixture.hub.url}/metrics`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      expect(await response.text()).toMatch(
        /^agenthub_requests_total\{method="GET",route="\/metrics",status="200"\} \d+$|^agenthub_info\{/m,
      );
    },
  ],
  [
    'GET /metrics: not through a proxy, and never by POST',
    async ({ fixture }) => {
      expect(
        (await fetch(`${fixture.hub.url}/metrics`, { headers: { 'X-Forwarded-For': '203.0.113.9' } })).status,
      ).toBe(403);
      expect((await fixture.ask('POST', '/metrics', { body: {} })).body).toMatchObject({ error: 'method_not_allowed' });
    },
  ],
];
