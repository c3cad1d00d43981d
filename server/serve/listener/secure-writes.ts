// Splits the writes of TLS connections into records. Node keeps a buffer as large as the largest write until the
// connection closes, and joins queued writes into one. Measured with 800 idle connections that had each sent 500 kB:
// 561 MB of memory, and 154 MB with this.
import type { TLSSocket } from 'node:tls';

/** The maximum length of a TLS record. */
const PIECE_BYTES = 16 * 1024;

/** Node's encoding for buffer chunks; the type does not list it. */
const OF_BUFFERS = 'buffer' as BufferEncoding;

type Done = (error?: Error | null) => void;
type Chunk = { chunk: Buffer | string; encoding: BufferEncoding };

export function writeInPieces(socket: TLSSocket): void {
  const write = socket._write.bind(socket);
  const writeAll = (chunks: readonly Chunk[], done: Done): void => {
    const pieces = piecesOf(chunks);
    const next: Done = (error) => {
      if (error) return done(error);
      const { value } = pieces.next();
      if (value === undefined) return done();
      write(value, OF_BUFFERS, next);
    };
    next();
  };
  socket._write = (chunk: Chunk['chunk'], encoding: BufferEncoding, done: Done) =>
    writeAll([{ chunk, encoding }], done);
  socket._writev = writeAll;
}

/** Joins small consecutive chunks, such as the head and the body of a response. */
function* piecesOf(chunks: readonly Chunk[]): Generator<Buffer, undefined> {
  let small: Buffer[] = [];
  let bytes = 0;
  for (const { chunk, encoding } of chunks) {
    const whole = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    if (bytes + whole.length > PIECE_BYTES && bytes > 0) {
      yield Buffer.concat(small, bytes);
      [small, bytes] = [[], 0];
    }
    let start = 0;
    for (; whole.length - start > PIECE_BYTES; start += PIECE_BYTES) yield whole.subarray(start, start + PIECE_BYTES);
    small.push(whole.subarray(start));
    bytes += whole.length - start;
  }
  if (bytes > 0) yield Buffer.concat(small, bytes);
}
