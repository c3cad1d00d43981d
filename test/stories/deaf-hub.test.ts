// A hub whose database takes no connections misses events and revocations, so it ends its streams, whose readers
// continue at another hub, or at this one when it hears the database again.
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { openEvents } from '../support/http/event-reader.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { register } from '../support/http/rest-client.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';
import { createPostgres, SERVER } from '../support/store/postgres.ts';

describe.skipIf(SERVER === undefined)('a hub without its database', () => {
  storyOnce('on PostgreSQL', (target) => {
    test('ends its streams, refuses what needs the database, and goes on when it is back', async () => {
      const url = await createPostgres();
      const name = new URL(url).pathname.slice(1);
      const hub = await startHub({ target, args: ['--database', url] });
      const { networkToken } = await register(hub.url);
      const stream = await openEvents(`${hub.url}/events/bob`, networkToken);
      const server = new Client(SERVER);
      await server.connect();
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      await stream.ended;
      await expect(openEvents(`${hub.url}/events/bob`, networkToken)).rejects.toThrow('returned 503');
      const ready = () => fetch(`${hub.url}/health/ready`).then(({ status }) => status);
      expect(await ready()).toBe(503);
      const patient = ready(); // it waits for the database, which is back soon
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await server.end();
      expect(await patient).toBe(200);
      await expect.poll(() => fetch(`${hub.url}/health/ready`).then(({ status }) => status)).toBe(200);
      const again = await openEvents(`${hub.url}/events/bob`, networkToken);
      const agent = mcpClient(hub.url, networkToken);
      await agent.call('send_task', { alias: 'bob', task: 'Water the plants', from_session: 'ada' });
      await again.next('new_task');
      await again.close();
    });
  });
});
