// HTTP requests written directly to a socket, so that a client can abort them, leave them unfinished or never read the
// response.
import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

export type WireRequest = {
  method?: string;
  path: string;
  token?: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with its length, unless the headers say otherwise. */
  body?: string | Buffer;
};

/** `status` is 0 when the connection closed without a response. `isWhole` is false when the timeout came first. */
export type Reply = { status: number; bytes: number; text: string; isWhole: boolean };

type Address = { port: number };

const KEPT_CHARACTERS = 64 * 1024;
const TIMEOUT_MS = 30_000;

export function requestText({ method, path, token, headers = {}, body }: WireRequest): Buffer {
  const all = {
    Host: '127.0.0.1',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  const lines = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const head = `${method ?? (body === undefined ? 'GET' : 'POST')} ${path} HTTP/1.1\r\n${lines}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body ?? '')]);
}

/** A tool call, or a batch when given a list. */
export function rpc(token: string, message: unknown, headers: Readonly<Record<string, string>> = {}): WireRequest {
  return { path: '/mcp', token, headers: { Accept: 'application/json', ...headers }, body: JSON.stringify(message) };
}

export function toolCall(name: string, args: object, id = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A socket whose errors are ignored, but not its close. `from` is an address of this machine. */
export function dial({ port }: Address, from?: string): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, ...(from !== undefined && { localAddress: from }) });
  return socket.on('error', () => {});
}

/** One request on a new connection. */
export function ask(
  address: Address,
  request: WireRequest,
  { from, timeoutMs = TIMEOUT_MS }: { from?: string; timeoutMs?: number } = {},
): Promise<Reply> {
  const socket = dial(address, from);
  const response = readAll(socket, timeoutMs);
  socket.write(requestText({ ...request, headers: { Connection: 'close', ...request.headers } }));
  return response;
}

/** Reads until the connection closes. Keeps only the first part of a long response. */
export function readAll(socket: Socket, timeoutMs = TIMEOUT_MS): Promise<Reply> {
  let text = '';
  let bytes = 0;
  let isWhole = true;
  const timer = setTimeout(() => {
    isWhole = false;
    socket.destroy();
  }, timeoutMs);
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (text.length < KEPT_CHARACTERS) text += chunk.toString('latin1');
  });
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearTimeout(timer);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), bytes, text, isWhole });
    });
  });
}

/** Resolves with the status line once it arrives, and leaves the rest unread. Undefined when the connection closed. */
export function readStatus(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 0));
    });
  });
}

/** Sends the bytes and resets the connection shortly after, before any response is read. */
export async function sendAndReset(address: Address, bytes: Buffer, delayMs = 0): Promise<void> {
  const socket = dial(address);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  if (delayMs > 0) await after(delayMs);
  socket.resetAndDestroy();
  return closed;
}

/** A chunk of a request body. */
export function chunked(body: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`);
}
