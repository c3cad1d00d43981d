// The HTTP listener: binds before anything on disk is changed, serves once the hub is open, and shuts down gracefully.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { StartError } from '../../domain/errors.ts';
import { MAX_HEADERS } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { noteArrival } from '../../domain/time/turn-share.ts';
import { userOfSocket } from '../../http/authenticate.ts';
import { hasBody } from '../../http/bodies/announced.ts';
import { PRIVILEGED_PORT } from '../addresses.ts';
import { memoryLimit, memoryShareOf } from '../machine/memory.ts';
import type { Certificate } from '../tls.ts';
import { answerInOrder } from './answer-in-order.ts';
import { clientOfSocket } from './clients.ts';
import { limitConnections, watchUnread } from './connections.ts';
import type { Closed } from './eviction.ts';
import { spreadHandshakes } from './handshakes.ts';
import { closeSoon, LONG_EXTENSIONS, refuseMalformed, refuseOnce, SMALL_CHUNKS, wrongHostOf } from './malformed.ts';
import { watchMemory } from './memory-pressure.ts';
import { type BadBody, limitBody } from './parser-calls.ts';
import { limitReads } from './read-turns.ts';
import { openRefusedBodies } from './refused-bodies.ts';
import { writeInPieces } from './secure-writes.ts';
import { openUnhandledBodies } from './unhandled-bodies.ts';

export type Listener = {
  port: number;
  /** The maximum number of open connections. */
  maxConnections: number;
  /**
   * Passes requests to the handler, including those that arrived before. The body of a request for which `readsBody`
   * returns false is not buffered.
   */
  answer(handler: RequestListener, readsBody?: ReadsBody): void;
  /** Calls `report` for every connection that the listener closes and for every error while accepting one. */
  watch(report: (closed: Closed | Error) => void): void;
  /** From now on, each connection is closed after its next response, so that clients open others elsewhere. */
  leave(): void;
  /** Accepts no new requests and gives open requests three seconds. */
  stop(): Promise<void>;
  /** Uses this certificate for new connections; requires TLS from the start. */
  renew(certificate: Certificate): void;
  /** When the certificate expires that new connections get; undefined without TLS. */
  certificateEnd(): Millis | undefined;
};

// Slow headers or bodies time out; idle connections are kept longer than proxies keep theirs.
const TIMEOUTS = {
  headersTimeout: 15 * SECOND_MS,
  requestTimeout: 60 * SECOND_MS,
  keepAliveTimeout: 75 * SECOND_MS,
  connectionsCheckingInterval: SECOND_MS,
};
// The handshake happens before any request; its default timeout is two minutes.
const HANDSHAKE = { handshakeTimeout: 15 * SECOND_MS };
/** A response of Node itself counts nowhere, and one read of a connection could cause two thousand of them. */
const OWN_ANSWERS = { requireHostHeader: false };
const FINISH_MS = 3 * SECOND_MS;

/**
 * Connections that wait to be accepted; the system may lower it. Beyond it, a client waits a second before it tries
 * again: with Node's 511, a thousand clients that reconnect at once cost everybody that second.
 */
const BACKLOG = 4096;

/** Several parts of the listener wait for the end of each connection; Node warns from eleven on. */
const MAX_LISTENERS = 24;

function allowListeners(socket: Socket): void {
  socket.setMaxListeners(MAX_LISTENERS);
}

type ReadsBody = (request: IncomingMessage) => boolean;

export type ListenerOptions = {
  certificate?: Certificate | undefined;
  isBehindProxy?: boolean;
  timeouts?: typeof TIMEOUTS;
};

/** Serves https with a certificate, and http without one. */
export async function openListener(host: string, port: number, options: ListenerOptions = {}): Promise<Listener> {
  const { certificate, isBehindProxy = false, timeouts = TIMEOUTS } = options;
  const ready = Promise.withResolvers<RequestListener>();
  let handle: RequestListener = (request, response) =>
    void ready.promise.then((handler) => handler(request, response)).catch(() => response.destroy());
  let readsBody: ReadsBody = () => true;
  let isLeaving = false;
  let served = certificate;
  let watcher = (_closed: Closed | Error): void => {};
  const report = (closed: Closed | Error): void => watcher(closed);
  const holderOf = (socket: Socket): string => userOfSocket(socket) ?? clientOfSocket(socket);
  const isStranger = (socket: Socket): boolean => userOfSocket(socket) === undefined;
  const memory = memoryLimit();
  const unhandled = openUnhandledBodies(memoryShareOf(memory), () => reads.resume());
  const refused = openRefusedBodies(memoryShareOf(memory));
  const { listener: inOrder, useOf } = answerInOrder(
    (request, response) => {
      if (isLeaving) response.setHeader('Connection', 'close');
      handle(request, response);
    },
    {
      onClosed: () => report('pipelined'),
      onBody: (request) => {
        const holder = holderOf(request.socket);
        unhandled.add(holder, request);
        if (unhandled.isFull(holder)) reads.stop(holder);
      },
      onRefused: (request, response) => {
        if (refused.add(holderOf(request.socket), request)) return boundBody(request, response, true);
        report('bodies');
        request.socket.destroy();
      },
    },
  );
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    reads.note(socket);
    const wrongHost = wrongHostOf(request);
    if (wrongHost !== undefined) return refuseOnce(socket, wrongHost);
    const isUnread = hasBody(request) && !readsBody(request);
    boundBody(request, response, isUnread);
    inOrder(request, response, isUnread);
  };
  const boundBody = (request: IncomingMessage, response: ServerResponse, isUnread: boolean): void => {
    const { socket } = request;
    const refuse = (why: BadBody): void => {
      reads.note(socket); // the chunks may come in a later read than the head
      if (response.headersSent || why === 'long') closeSoon(socket);
      else refuseMalformed(why === 'small' ? SMALL_CHUNKS : LONG_EXTENSIONS, socket);
      socket.pause(); // parsing further data would use all of the hub's time
    };
    limitBody(request, { isUnread, refuse });
  };
  const secure =
    certificate &&
    createSecureServer({ ...timeouts, ...OWN_ANSWERS, ...HANDSHAKE, ...secretsOf(certificate) }, listener);
  if (secure) spreadHandshakes(secure, clientOfSocket);
  secure?.on('secureConnection', writeInPieces);
  const server = secure ?? createServer({ ...timeouts, ...OWN_ANSWERS }, listener);
  server.on('checkExpectation', listener); // Node would answer 417
  server.on('checkContinue', listener); // Node would ask for the body before the token is checked
  const reads = limitReads(server, {
    userOf: userOfSocket,
    clientOf: clientOfSocket,
    isFull: unhandled.isFull,
    isSecure: secure !== undefined,
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.on('connection', noteArrival);
  server.on('connection', allowListeners);
  secure?.on('secureConnection', allowListeners);
  server.on('clientError', refuseMalformed);
  limitConnections(server, report, {
    isBehindProxy,
    isSecure: secure !== undefined,
    useOf,
    userOf: userOfSocket,
  });
  const watches = [
    watchUnread(server, report),
    watchMemory(server, { memory, onClosed: report, holderOf, isStranger }),
  ];
  return {
    port: await bind(server, host, port),
    maxConnections: server.maxConnections,
    answer: (handler, reads = readsBody) => {
      handle = handler;
      readsBody = reads;
      ready.resolve(handler);
    },
    watch: (newWatcher) => {
      watcher = newWatcher;
      server.on('error', report); // not fatal: for example, a connection without a free file descriptor
    },
    leave: () => {
      isLeaving = true;
    },
    stop: () => {
      isLeaving = true;
      for (const watch of watches) watch.stop();
      return finish(server);
    },
    renew: (fresh) => {
      secure?.setSecureContext(secretsOf(fresh));
      served = fresh;
    },
    certificateEnd: () => served && Date.parse(served.leaf.validTo),
  };
}

function secretsOf({ cert, key }: Certificate): Pick<Certificate, 'cert' | 'key'> {
  return { cert, key };
}

function bind(server: Server | SecureServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen({ port, host, backlog: BACKLOG }, () => resolve(portOf(server.address())));
  });
}

export class PortInUse extends StartError {}

function cannotListen(error: Error, host: string, port: number): StartError {
  const code = 'code' in error ? error.code : error.message;
  const what = `cannot listen on ${host}:${port}`;
  if (code === 'EADDRINUSE') return new PortInUse(`${what}: the port is in use; ${CHOOSE}`);
  if (code === 'EACCES') return new StartError(`${what}: not allowed; ${PRIVILEGED_PORT}`);
  return new StartError(`${what}: ${String(code)}; ${CHOOSE}`);
}

const CHOOSE = 'choose another with --port or --host';

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

async function finish(server: Server | SecureServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle shortly after its stream has ended.
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
