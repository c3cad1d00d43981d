// Packs the console into one buffer: a table of files, then their bodies, uncompressed and in each encoding that makes
// them smaller. The build writes it and the server serves it from memory; this file defines both sides of the format.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'identity' | 'gzip' | 'br';
export type ConsoleFile = { path: string; type: string; body: Uint8Array };
export type PackedFile = { path: string; type: string; hash: string; bodies: Partial<Record<Encoding, Buffer>> };

type Extent = { at: number; length: number };
type Entry = Omit<PackedFile, 'bodies'> & { bodies: Partial<Record<Encoding, Extent>> };

/** Below 1 KiB, the headers of a compressed response cost as much as it saves. */
const WORTH_COMPRESSING_BYTES = 1024;

export function packFiles(files: ConsoleFile[]): Buffer {
  const bodies: Uint8Array[] = [];
  let at = 0;
  const place = (body: Uint8Array): Extent => {
    bodies.push(body);
    at += body.length;
    return { at: at - body.length, length: body.length };
  };
  const table = files.map((file) => entryOf(file, place));
  const header = Buffer.from(JSON.stringify(table));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, header, ...bodies]);
}

function entryOf({ path, type, body }: ConsoleFile, place: (body: Uint8Array) => Extent): Entry {
  const encoded = Object.entries(encodingsOf(body)).map(([encoding, bytes]) => [encoding, place(bytes)]);
  return {
    path,
    type,
    hash: createHash('sha256').update(body).digest('base64url'),
    bodies: Object.fromEntries(encoded),
  };
}

function encodingsOf(body: Uint8Array): Partial<Record<Encoding, Uint8Array>> {
  if (body.length < WORTH_COMPRESSING_BYTES) return { identity: body };
  const gzip = gzipSync(body, { level: 9 });
  const br = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } });
  return gzip.length < body.length ? { identity: body, gzip, br } : { identity: body };
}

/** Returns the files by path. The bodies are views of the pack, not copies. */
export function readPack(pack: Uint8Array): Map<string, PackedFile> {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
  const start = 4 + bytes.readUInt32BE();
  const table: Entry[] = JSON.parse(bytes.toString('utf8', 4, start));
  return new Map(table.map((entry) => [entry.path, { ...entry, bodies: bodiesOf(entry, bytes.subarray(start)) }]));
}

function bodiesOf({ bodies }: Entry, bytes: Buffer): PackedFile['bodies'] {
  const cut = Object.entries(bodies).map(([encoding, { at, length }]) => [encoding, bytes.subarray(at, at + length)]);
  return Object.fromEntries(cut);
}
