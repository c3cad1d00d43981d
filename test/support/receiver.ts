// A real HTTP server that receives notifications, and fails as told.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** How the receiver answers: a status, a redirect, a connection that is reset, or nothing at all. */
export type Answer = number | { redirect: string } | 'reset' | 'never';

export type Receiver = { url: string; received: Received[]; answerWith(answer: Answer): void };

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer: Answer = 204;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    if (answer === 'reset') return void request.socket.resetAndDestroy();
    if (answer === 'never') return;
    if (typeof answer === 'number') return void response.writeHead(answer).end('its answer');
    response.writeHead(302, { Location: answer.redirect }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { url: `http://127.0.0.1:${port}/hook`, received, answerWith: (next) => void (answer = next) };
}
