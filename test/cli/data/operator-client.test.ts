// Questions to the running hub: one that hangs is given up, and a long operation of one that responds is not.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { askThroughSocket } from '../../../server/cli/data/operator-client.ts';
import { socketPath } from '../../../server/serve/operator-socket.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

const LONG = { beforeMs: 50, answerMs: 10_000 };
const PATIENCE = { beforeMs: 50, answerMs: 300 };

async function answering(listener: RequestListener): Promise<string> {
  const data = temporaryDirectory();
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(socketPath(data)), 'listening');
  return data;
}

test('a hub that never responds', async () => {
  const data = await answering(() => {});
  await expect(askThroughSocket(data, { operation: 'user list', input: {} }, undefined, PATIENCE)).rejects.toThrow(
    `the hub that runs on ${data} does not respond`,
  );
});

test('a long operation of a hub that responds to others', async () => {
  const data = await answering(async (request, response) => {
    const { operation } = (await json(request)) as { operation: string };
    const delay = operation === 'hub address' ? 0 : 1_000;
    setTimeout(() => response.end('{"ok": true}'), delay);
  });
  expect(await askThroughSocket(data, { operation: 'prune', input: {} }, undefined, LONG)).toEqual({ ok: true });
});
