// The HTTP listener: bound before anything on disk is touched, answering once the hub is open, and ended in good order.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { StartError } from '../domain/errors.ts';
import { MAX_HEADERS, MIN_CHUNK_BYTES } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import { answerInOrder } from './answer-in-order.ts';
import { type Closed, limitConnections, memoryLimit, watchDescriptors, watchUnread } from './connections.ts';
import { watchMemory } from './memory-pressure.ts';
import { refuseSmallChunks } from './parser-calls.ts';
import { writeInPieces } from './secure-writes.ts';
import type { Certificate } from './tls.ts';

export type Listener = {
  port: number;
  /** The maximum number of open connections. */
  maxConnections: number;
  /** Hands requests to the handler; those that came before have waited for it. */
  answer(handler: RequestListener): void;
  /**
   * Calls `tell` with every connection that the listener closes by itself, and with what fails while it accepts one.
   */
  watch(tell: (closed: Closed | Error) => void): void;
  /** Accepts nothing new and gives what runs three seconds. */
  stop(): Promise<void>;
  /** Answers new connections with this certificate; only where it began with one. */
  renew(certificate: Certificate): void;
};

// A client that dribbles its headers or body is cut off; an idle one is kept longer than proxies keep theirs.
const TIMEOUTS = {
  headersTimeout: 15 * SECOND_MS,
  requestTimeout: 60 * SECOND_MS,
  keepAliveTimeout: 75 * SECOND_MS,
  connectionsCheckingInterval: SECOND_MS,
};
// TLS counts before there is a request, and would leave a client two minutes for it.
const HANDSHAKE = { handshakeTimeout: 15 * SECOND_MS };
const FINISH_MS = 3 * SECOND_MS;
const LINGER_MS = SECOND_MS;

export type ListenerOptions = {
  certificate?: Certificate | undefined;
  isBehindProxy?: boolean;
  timeouts?: typeof TIMEOUTS;
};

/** Answers https with a certificate, and http without one. */
export async function openListener(host: string, port: number, options: ListenerOptions = {}): Promise<Listener> {
  const { certificate, isBehindProxy = false, timeouts = TIMEOUTS } = options;
  const ready = Promise.withResolvers<RequestListener>();
  let handle: RequestListener = (request, response) =>
    void ready.promise.then((handler) => handler(request, response)).catch(() => response.destroy());
  let isStopping = false;
  let tell = (_closed: Closed | Error): void => {};
  const told = (closed: Closed | Error): void => tell(closed);
  const { listener: inOrder, useOf } = answerInOrder(
    (request, response) => {
      if (isStopping) response.setHeader('Connection', 'close');
      handle(request, response);
    },
    () => told('pipelined'),
  );
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    refuseSmallChunks(request, () => {
      if (response.headersSent) endSoon(socket);
      else answerUnreadable(SMALL_CHUNKS, socket);
      socket.pause(); // parsing what the client keeps sending would take all of the hub's time
    });
    inOrder(request, response);
  };
  const secure = certificate && createSecureServer({ ...timeouts, ...HANDSHAKE, ...secretsOf(certificate) }, listener);
  secure?.on('secureConnection', writeInPieces);
  const server = secure ?? createServer(timeouts, listener);
  server.maxHeadersCount = MAX_HEADERS;
  server.on('clientError', answerUnreadable);
  limitConnections(server, told, { isBehindProxy, isSecure: secure !== undefined, useOf });
  const watches = [
    watchUnread(server, told),
    watchDescriptors(told),
    watchMemory(server, { memory: memoryLimit(), onClosed: told }),
  ];
  return {
    port: await bind(server, host, port),
    maxConnections: server.maxConnections,
    answer: (handler) => {
      handle = handler;
      ready.resolve(handler);
    },
    watch: (watcher) => {
      tell = watcher;
      server.on('error', told); // such as no file left for a connection: the next one may find one
    },
    stop: () => {
      isStopping = true;
      for (const watch of watches) watch.stop();
      return finish(server);
    },
    renew: (fresh) => secure?.setSecureContext(secretsOf(fresh)),
  };
}

// What the HTTP parser refuses never reaches the application, and is answered in the same shape.
function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isOfTls(error.code)) return void socket.destroy();
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [
    '400 Bad Request',
    'the request is not HTTP that could be read',
  ];
  const body = JSON.stringify({ error: 'invalid_request', message });
  endSoon(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function endSoon(socket: Duplex, lastWords = ''): void {
  socket.end(lastWords);
  setTimeout(() => socket.destroy(), LINGER_MS).unref(); // its client may never close its side
}

const SMALL_CHUNKS = Object.assign(new Error('a body in very small chunks'), { code: 'SMALL_CHUNKS' });

function isOfTls(code = ''): boolean {
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS');
}

const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  SMALL_CHUNKS: ['400 Bad Request', `the body must come in chunks of ${MIN_CHUNK_BYTES} bytes or more on average`],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `the address and headers may have 16 KiB in all, and there may be ${MAX_HEADERS} headers`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};

function secretsOf({ cert, key }: Certificate): Pick<Certificate, 'cert' | 'key'> {
  return { cert, key };
}

function bind(server: Server | SecureServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, () => resolve(portOf(server.address())));
  });
}

function cannotListen(error: Error, host: string, port: number): StartError {
  const code = 'code' in error ? error.code : error.message;
  const reason = code === 'EADDRINUSE' ? 'the port is taken' : code === 'EACCES' ? 'not allowed' : String(code);
  return new StartError(`cannot listen on ${host}:${port}: ${reason}; choose another with --port or --host`);
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

async function finish(server: Server | SecureServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose stream was ended only now becomes idle a moment later.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
