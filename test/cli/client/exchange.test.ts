// The HTTP requests of commands.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { exchange } from '../../../server/cli/client/exchange.ts';

test('no connection is used twice, since a proxy may close it just then', async () => {
  const connections = new Set<unknown>();
  const server = createServer((request, response) => {
    connections.add(request.socket);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let number = 0; number < 3; number++) {
    const response = await exchange(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(20_000) });
    expect(await text(response)).toBe('{}');
  }
  expect(connections.size).toBe(3);
});
