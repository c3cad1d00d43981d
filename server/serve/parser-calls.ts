// Limits what one read from a connection may cost. Node's HTTP parser calls JavaScript for every request and every body
// chunk in the bytes it was given, before anything else runs. 64 KiB hold 1,000 requests sent ahead or 10,000 chunks of
// one byte, which take 2 µs each, and many connections are read in one turn of the event loop.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FREE_CHUNKS, MIN_CHUNK_BYTES } from '../domain/limits.ts';

type Deliver = (this: unknown, chunk: Buffer) => void;
/** A parser's callbacks, under the numbers that its native code uses. It skips a callback that is missing. */
type Parser = Record<string, unknown>;

/**
 * The callbacks for requests and their bodies, the same for all parsers. Parsers are pooled, so each must get them
 * back.
 */
let calls: Readonly<Parser> | undefined;
let body = '';
const borrowers = new WeakSet<Socket>();

/** Makes no further call for this connection, neither for the rest of what was read nor for what follows. */
export function silenceParser(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser !== undefined)
    for (const number of Object.keys(callsOf(parser))) change(socket, parser, number, undefined);
}

/**
 * Call it with every request. When the body arrives in very small chunks, it calls `refuse` once and silences the
 * parser.
 */
export function refuseSmallChunks({ headers, socket }: IncomingMessage, refuse: () => void): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const deliver = callsOf(parser)[body];
  if (parser[body] !== deliver) parser[body] = deliver; // the counter of the previous request
  if (headers['transfer-encoding'] === undefined) return;
  let [chunks, bytes] = [0, 0];
  const count: Deliver = (chunk) => {
    chunks += 1;
    bytes += chunk.length;
    if (chunks <= FREE_CHUNKS || bytes >= chunks * MIN_CHUNK_BYTES) return (deliver as Deliver).call(parser, chunk);
    silenceParser(socket);
    refuse();
  };
  change(socket, parser, body, count);
}

// Not documented, but named `parser` in Node for ten years. Without it the limits would not apply, and nothing else
// would change.
function parserOf(socket: Socket): Parser | undefined {
  return (socket as { parser?: Parser | null }).parser ?? undefined;
}

/** Read from the first parser, before any was changed. */
function callsOf(parser: Parser): Readonly<Parser> {
  if (calls !== undefined) return calls;
  const entries = Object.entries(parser).filter(
    ([, call]) => typeof call === 'function' && call.name.startsWith('parserOn'),
  );
  body = entries.find(([, call]) => (call as Deliver).name === 'parserOnBody')?.[0] ?? '';
  calls = Object.fromEntries(entries);
  return calls;
}

function change(socket: Socket, parser: Parser, number: string, call: Deliver | undefined): void {
  parser[number] = call;
  if (borrowers.has(socket)) return;
  borrowers.add(socket);
  socket.once('close', () => Object.assign(parser, calls)); // runs after Node's own listener, which returns the parser to the pool, and before anything can take it
}
