// Limits the cost of one read from a connection. Node's HTTP parser calls JavaScript for every request and every body
// chunk in a read, before anything else runs. 64 KiB can contain 1,000 pipelined requests or 10,000 one-byte chunks,
// which take 2 µs each, and many connections are read in one turn of the event loop. The parser also copies each chunk
// into a buffer, even if nothing reads the body.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FREE_CHUNKS, FREE_EXTENSION_BYTES, MAX_DISCARDED_BYTES, MIN_CHUNK_BYTES } from '../../domain/limits.ts';

type Deliver = (this: unknown, chunk: Buffer) => void;
/** The callbacks of a parser, by the numbers that its native code uses. It skips missing callbacks. */
type Parser = Record<string, unknown> & { incoming?: { upgrade?: boolean } | null };
/** Returns the number of bytes that were parsed, or the error. */
type Execute = (this: Parser, bytes: Buffer) => number | Error;

/** The original callbacks, the same for all parsers. Parsers are pooled, so each callback must be restored. */
let calls: Readonly<Parser> | undefined;
let body = '';
const changed = new WeakSet<Socket>();
const silenced = new WeakSet<Socket>();
const FIRST_BYTES = 4096;
/** Node reads at most 64 KiB at once. */
const LONG_READ_BYTES = 16_384;

/** Stops all parser calls for this connection, including those for the rest of the current read. */
export function silenceParser(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  silenced.add(socket);
  for (const number of Object.keys(callsOf(parser))) change(socket, parser, number, undefined);
}

/**
 * Parses the first bytes of each read before the rest, so that nothing is spent on the rest if the parser was silenced:
 * of 64 KiB in one-byte chunks, 0.4 ms. It is slower for all others. For `onLongRead`, see `watchReads`.
 */
export function parseStartFirst(socket: Socket, onLongRead: () => void): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  socket.on('data', () => {}); // Node then passes the reads to `execute`, instead of parsing them natively
  const execute = parser.execute as Execute;
  change(socket, parser, 'execute', (bytes: Buffer) => {
    if (bytes.length <= FIRST_BYTES) return execute.call(parser, bytes);
    if (bytes.length >= LONG_READ_BYTES) onLongRead();
    const result = execute.call(parser, bytes.subarray(0, FIRST_BYTES));
    if (silenced.has(socket) || result instanceof Error || parser.incoming?.upgrade) return result;
    const rest = execute.call(parser, bytes.subarray(FIRST_BYTES));
    return rest instanceof Error ? rest : bytes.length;
  });
}

/**
 * Calls `onLongRead` before the results of each long read of this connection are handled. It may contain no request:
 * empty lines and the extensions of chunks are skipped natively, at up to two megabytes of a connection per turn.
 */
export function watchReads(socket: Socket, onLongRead: () => void): void {
  const parser = parserOf(socket);
  const [number, read] = (parser && Object.entries(parser).find(([, call]) => isOfRead(call))) ?? [];
  if (parser === undefined || number === undefined) return;
  parser[number] = (result: number | Error) => {
    if (typeof result !== 'number' || result >= LONG_READ_BYTES) onLongRead();
    return (read as (result: number | Error) => void)(result);
  };
}

function isOfRead(call: unknown): boolean {
  return typeof call === 'function' && call.name === 'bound onParserExecute';
}

/** It has very small chunks or long extensions of chunks, or it is longer than what is discarded. */
export type BadBody = 'small' | 'extended' | 'long';

/**
 * Call it for every request, and again once nobody reads its body any more. Drops a body that is not read without
 * copying it, as far as its length is known. If a body arrives in very small chunks, with long extensions, or is longer
 * than what is discarded, it calls `refuse` and silences the parser.
 */
export function limitBody(
  { headers, socket }: IncomingMessage,
  { isUnread, refuse }: { isUnread: boolean; refuse: (why: BadBody) => void },
): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const deliver = callsOf(parser)[body] as Deliver;
  if (parser[body] !== deliver) parser[body] = deliver; // removes what the previous request has changed
  if (headers['transfer-encoding'] === undefined) {
    if (isUnread) change(socket, parser, body, undefined);
    return;
  }
  let [chunks, bytes] = [0, 0];
  const start = socket.bytesRead; // with the rest of the read that contained the head
  const badness = (): BadBody | undefined => {
    if (chunks > FREE_CHUNKS && bytes < chunks * MIN_CHUNK_BYTES) return 'small';
    if (socket.bytesRead - start > FREE_EXTENSION_BYTES + 2 * bytes) return 'extended';
    return isUnread && bytes > MAX_DISCARDED_BYTES ? 'long' : undefined;
  };
  const count: Deliver = (chunk) => {
    chunks += 1;
    bytes += chunk.length;
    const why = badness();
    if (why !== undefined) {
      silenceParser(socket);
      refuse(why);
    } else if (!isUnread) deliver.call(parser, chunk);
  };
  change(socket, parser, body, count);
}

// `parser` is undocumented, but Node has had it for ten years. Without it, only these limits would not apply.
function parserOf(socket: Socket): Parser | undefined {
  return (socket as { parser?: Parser | null }).parser ?? undefined;
}

/** Read from the first parser, before any parser is changed. */
function callsOf(parser: Parser): Readonly<Parser> {
  if (calls !== undefined) return calls;
  const entries = Object.entries(parser).filter(
    ([, call]) => typeof call === 'function' && call.name.startsWith('parserOn'),
  );
  body = entries.find(([, call]) => (call as Deliver).name === 'parserOnBody')?.[0] ?? '';
  calls = Object.fromEntries(entries);
  return calls;
}

function change(socket: Socket, parser: Parser, name: string, call: unknown): void {
  parser[name] = call;
  if (changed.has(socket)) return;
  changed.add(socket);
  // Runs after Node's listener, which returns the parser to the pool, and before the parser is reused.
  socket.once('close', () => {
    delete parser.execute;
    Object.assign(parser, calls);
  });
}
