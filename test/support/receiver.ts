// A real server that receives notifications, and fails on request.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** How the receiver answers: with a status, or in a way that is a fault. */
export type Answer = number | { redirect: string } | keyof typeof FAULTS;

export type Receiver = {
  url: string;
  received: Received[];
  answerWith(answer: Answer): void;
  connections(): Promise<number>;
};

/** `tls` is a certificate with its key. */
export async function openReceiver(tls?: { cert: Buffer; key: Buffer }): Promise<Receiver> {
  const received: Received[] = [];
  let answer: Answer = 204;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    if (typeof answer === 'string') return FAULTS[answer](response);
    if (typeof answer === 'number') return void response.writeHead(answer).end('its answer');
    response.writeHead(302, { Location: answer.redirect }).end();
  };
  const server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook`,
    received,
    answerWith: (next) => void (answer = next),
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

const HEAD_PART = 'HTTP/1.1 200 OK\r\nX-Slow: ';

const FAULTS = {
  never: () => {},
  reset: ({ socket }: ServerResponse) => void socket?.resetAndDestroy(),
  'not HTTP': ({ socket }: ServerResponse) => void socket?.end('220 mail.example ESMTP\r\n'),
  'half a head': ({ socket }: ServerResponse) => void socket?.write(HEAD_PART),
  'an endless head': (response: ServerResponse) => writeEndlessly(response, HEAD_PART),
  'an endless body': (response: ServerResponse) => writeEndlessly(response, 'HTTP/1.1 200 OK\r\n\r\n'),
  'half a body': (response: ServerResponse) => void response.writeHead(200, { 'Content-Length': 10 }).write('half'),
  'other protocol': ({ socket }: ServerResponse) =>
    void socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  'endless empty lines': (response: ServerResponse) => writeEndlessly(response, '', '\r\n'.repeat(500)),
  'endless hints': (response: ServerResponse) => writeEndlessly(response, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
};

/** Writes as long as the other side reads, and stops when the connection ends. */
function writeEndlessly({ socket }: ServerResponse, start: string, piece = 'x'.repeat(1_000)): void {
  socket?.write(start);
  const more = () => {
    while (socket?.write(piece));
  };
  socket?.on('drain', more);
  more();
}
