// Limits what one read of a connection may cost. Node's HTTP parser calls JavaScript for every request and every chunk of a body that
// a read brought, before anything else runs. 64 KiB hold 1,000 requests sent ahead or 10,000 chunks of one byte, which
// take 2 µs each, and many connections are read in one turn of the event loop.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FREE_CHUNKS, MIN_CHUNK_BYTES } from '../domain/limits.ts';

type Deliver = (this: unknown, chunk: Buffer) => void;
/** The functions that the parser calls, under the numbers by which its native part knows them. It skips those that are missing. */
type Parser = Record<string, unknown>;

/** Those that are about requests and their bodies, the same for all parsers. Parsers are pooled and must be given back with them. */
let calls: Readonly<Parser> | undefined;
let body = '';
const borrowers = new WeakSet<Socket>();

/** All that is left of what was read, and all that comes until the connection is closed, is parsed without a call. */
export function silenceParser(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser !== undefined) for (const number of Object.keys(callsOf(parser))) change(socket, parser, number, undefined);
}

/** To be called with every request. Calls `refuse` once, and then parses in silence, when its body comes in very small chunks. */
export function refuseSmallChunks({ headers, socket }: IncomingMessage, refuse: () => void): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  const deliver = callsOf(parser)[body];
  if (parser[body] !== deliver) parser[body] = deliver; // what counted the chunks of the request before
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

// Node has called it `parser` for ten years, and does not document it. Without it there would be no limit, and no harm.
function parserOf(socket: Socket): Parser | undefined {
  return (socket as { parser?: Parser | null }).parser ?? undefined;
}

/** Read from the first parser, before any was changed. */
function callsOf(parser: Parser): Readonly<Parser> {
  if (calls !== undefined) return calls;
  const entries = Object.entries(parser).filter(([, call]) => typeof call === 'function' && call.name.startsWith('parserOn'));
  body = entries.find(([, call]) => (call as Deliver).name === 'parserOnBody')?.[0] ?? '';
  calls = Object.fromEntries(entries);
  return calls;
}

function change(socket: Socket, parser: Parser, number: string, call: Deliver | undefined): void {
  parser[number] = call;
  if (borrowers.has(socket)) return;
  borrowers.add(socket);
  socket.once('close', () => Object.assign(parser, calls)); // after Node's own listener has given it back, in the same turn
}
