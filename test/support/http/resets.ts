// Open requests as bytes, and connections that are reset right after they send one.
import { once } from 'node:events';
import { connect } from 'node:net';

export type RequestOf = (token: string) => string;

export const STREAM: RequestOf = (token) =>
  `GET /events/bob HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;

const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300 } },
});

export const WAIT: RequestOf = (token) =>
  [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accept: text/event-stream',
    `Content-Length: ${CALL.length}`,
    '',
    CALL,
  ].join('\r\n');

/** Sends the request over this many connections, one after the other, and resets each as soon as its bytes are sent. */
export async function sendAndReset(url: string, request: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let sent = 0; sent < count; sent++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write(request, resolve));
    socket.resetAndDestroy();
  }
}
