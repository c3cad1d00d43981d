// How a client sees an exhausted quota: as a 400 that names it or as a 429 with Retry-After, and over MCP as a tool
// error.
import { expect, test } from 'vitest';
import { mcpClient, ToolError } from '../../support/http/mcp-client.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { serveHub } from '../../support/served-hub.ts';

async function refusal(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ToolError ? error.error : error),
  );
}

test('too many requests with one token get a 429 with Retry-After', async () => {
  const { url, userToken, networkToken } = await serveHub({ max_requests_per_minute: 3 });
  const rest = restClient(url, networkToken);
  for (let count = 0; count < 3; count++) expect((await rest.get('/api/tasks')).status).toBe(200);
  const refused = await rest.get('/api/tasks');
  expect(refused).toMatchObject({
    status: 429,
    body: { error: 'rate_limited', message: expect.stringContaining('max_requests_per_minute') },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refusal(mcpClient(url, networkToken).call('list_tasks'))).toBe('rate_limited');
  expect((await restClient(url, userToken).get('/api/tasks')).status).toBe(200);
});

test('an exhausted quota is a 400, and a tool error with the same name', async () => {
  const { url, networkToken } = await serveHub({ max_pending_messages: 1 });
  const send = (task: string) => restClient(url, networkToken).post('/api/tasks', { alias: 'bob', task });
  expect((await send('first')).status).toBe(200);
  expect(await send('second')).toMatchObject({
    status: 400,
    body: { error: 'quota_exceeded', message: expect.stringContaining('max_pending_messages') },
  });
  expect(await refusal(mcpClient(url, networkToken).call('send_task', { alias: 'bob', task: 'third' }))).toBe(
    'quota_exceeded',
  );
});
