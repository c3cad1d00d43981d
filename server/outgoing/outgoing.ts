// Requests that the hub itself sends, to URLs that users choose. A name is resolved once, and the connection uses
// only the addresses that were checked. Redirects are not followed, proxy settings in the environment are ignored, and
// only the status of a response is read.
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { compose, type Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { nameOf } from '../domain/addresses.ts';
import type { Outcome } from '../domain/notifiers/notifier.ts';
import type { OutgoingRequest } from '../domain/notifiers/payloads.ts';
import type { Problem } from '../domain/notifiers/problems.ts';
import { isPrivateAddress } from './private-addresses.ts';
import { ProblemError, problemOf } from './problem-of.ts';
import { type Resolve, resolveName } from './resolve-name.ts';

export type Outgoing = {
  /** Never throws. */
  post(request: OutgoingRequest): Promise<Outcome>;
  /** Why a URL cannot be used, without contacting its host; undefined if it can. */
  problemOf(url: string): Promise<Problem | undefined>;
  /** Aborts all requests. */
  close(): void;
  isClosed(): boolean;
};

export type OutgoingOptions = { addresses: 'public' | 'all'; timeoutMs: number; resolve?: Resolve };

export function openOutgoing({ addresses, timeoutMs, resolve = resolveName }: OutgoingOptions): Outgoing {
  const closing = new AbortController();

  /** Ends `work` when its time is up, even if it ignores the signal. */
  async function inTime<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const limit = new AbortController();
    const end = (problem: Problem) => limit.abort(new ProblemError(problem));
    const timer = setTimeout(end, timeoutMs, 'timeout');
    const onClose = () => end('stopping');
    closing.signal.addEventListener('abort', onClose);
    try {
      if (closing.signal.aborted) onClose();
      return await Promise.race([work(limit.signal), rejected(limit.signal)]);
    } finally {
      clearTimeout(timer);
      closing.signal.removeEventListener('abort', onClose);
    }
  }

  /** All addresses of the host of a URL, each of which may be contacted. */
  async function addressesOf(url: string, signal: AbortSignal): Promise<readonly string[]> {
    const name = nameOf(new URL(url).host);
    const found = isIP(name) > 0 ? [name] : await resolve(name, signal);
    if (found.length === 0) throw new ProblemError('no_address');
    if (addresses === 'public' && found.some(isPrivateAddress)) throw new ProblemError('private_address');
    return found;
  }
  return {
    post: (request) =>
      inTime(async (signal) => send(request, await addressesOf(request.url, signal), signal)).then(
        outcomeOf,
        (error: unknown) => ({ status: null, problem: problemOf(error) }),
      ),
    problemOf: (url) => inTime((signal) => addressesOf(url, signal)).then(() => undefined, problemOf),
    close: () => closing.abort(),
    isClosed: () => closing.signal.aborted,
  };
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

// Node limits the headers of each response, but a receiver can send any number of interim responses, such as 103.
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_INTERIM_RESPONSES = 4;

/** Returns the status. The connection is closed after the response headers, so the body is not read. */
function send({ url, headers, body }: OutgoingRequest, addresses: readonly string[], signal: AbortSignal) {
  const { protocol, host, port } = new URL(url);
  const scheme = protocol === 'https:' ? https() : http();
  const address = { host: nameOf(host), port: Number(port || scheme.port), lookup: lookupOf(addresses) };
  const options = { method: 'POST', defaultPort: scheme.port, signal } as const;
  const createConnection = (): Duplex => inPieces(scheme.connect(address));
  return new Promise<number>((resolve, reject) => {
    const sending = scheme.request(url, {
      ...options,
      createConnection,
      headers: { 'User-Agent': 'agenthub', ...headers },
    });
    sending.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    limitHeaders(sending);
    sending.on('error', reject);
    // Switching protocols ends the connection without an error.
    sending.on('close', () => reject(new ProblemError('connection_closed')));
    sending.end(body);
  });
}

type Address = { host: string; port: number; lookup: LookupFunction };

const http = () => ({ port: 80, request: requestHttp, connect: (address: Address): Socket => connectTcp(address) });

// A function, so that a hub without notifiers does not load TLS.
const https = () => ({
  port: 443,
  request: requestHttps,
  connect: (address: Address): Socket =>
    connectTls({ ...address, servername: isIP(address.host) > 0 ? '' : address.host, rejectUnauthorized: true }),
});

const PIECE_BYTES = 1024;

/**
 * The connection, read in small pieces. Node parses all interim responses of a piece before it can be stopped, and the
 * 64 KiB that a socket reads at once hold thousands of them, which takes 8 ms.
 */
function inPieces(socket: Socket): Duplex {
  return compose(socket, async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks)
      for (let from = 0; from < chunk.length; from += PIECE_BYTES) yield chunk.subarray(from, from + PIECE_BYTES);
  });
}

function limitHeaders(sending: ClientRequest): void {
  let [bytes, interimResponses] = [0, 0];
  const check = (): void => {
    if (bytes > MAX_HEADER_BYTES || interimResponses > MAX_INTERIM_RESPONSES)
      sending.destroy(new ProblemError('protocol'));
  };
  sending.on('information', () => {
    interimResponses += 1;
    check();
  });
  sending.on('socket', (socket) => {
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      check();
    });
  });
}

/** A host that is an address is not looked up. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, options, callback) => {
    if (options.all === true) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { status, problem: null };
  return { status, problem: status >= 300 && status < 400 ? 'redirect' : 'status' };
}
