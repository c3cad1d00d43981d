// Responses to requests that the HTTP parser rejects, or that are refused before the application sees them, in the
// format of all other errors.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MAX_HEADERS, MIN_CHUNK_BYTES } from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { silenceParser } from './parser-calls.ts';

const LINGER_MS = SECOND_MS;

export function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isOfTls(error.code)) return void socket.destroy();
  const [status, message] = MALFORMED[error.code ?? ''] ?? ['400 Bad Request', 'the request is not valid HTTP'];
  const body = JSON.stringify({ error: 'invalid_request', message });
  closeSoon(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Nothing after it on this connection is parsed. */
export function refuseOnce(socket: Socket, why: Error): void {
  silenceParser(socket); // the same read may contain thousands more
  refuseMalformed(why, socket);
  socket.pause();
}

/** Node keeps the first of several Host headers, and a proxy before the hub may have checked another one. */
export function wrongHostOf({ rawHeaders, httpVersion }: IncomingMessage): Error | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] ?? '')) hosts += 1;
  if (hosts > 1) return HOSTS;
  return hosts === 0 && httpVersion === '1.1' ? NO_HOST : undefined;
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

/** After the client has had time to read what was sent. */
export function closeSoon(socket: Duplex, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref(); // the client may never close its side
}

const HOSTS = Object.assign(new Error('several Host headers'), { code: 'HOSTS' });
const NO_HOST = Object.assign(new Error('no Host header'), { code: 'NO_HOST' });
export const SMALL_CHUNKS = Object.assign(new Error('a body in very small chunks'), { code: 'SMALL_CHUNKS' });
export const LONG_EXTENSIONS = Object.assign(new Error('long extensions of chunks'), { code: 'LONG_EXTENSIONS' });

function isOfTls(code = ''): boolean {
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS');
}

const MALFORMED: Readonly<Record<string, readonly [status: string, message: string]>> = {
  NO_HOST: ['400 Bad Request', 'the request has no Host header, which HTTP/1.1 requires'],
  HOSTS: ['400 Bad Request', 'the request has several Host headers'],
  SMALL_CHUNKS: ['400 Bad Request', `body chunks must have at least ${MIN_CHUNK_BYTES} bytes on average`],
  LONG_EXTENSIONS: ['400 Bad Request', 'the extensions of body chunks must not be longer than the body'],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `the URL and headers must have at most 16 KiB in total, and at most ${MAX_HEADERS} headers`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};
