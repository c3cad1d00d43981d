// Writes of TLS connections in pieces: all bytes arrive in their order, and an idle connection keeps little memory.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeInPieces } from '../../server/serve/listener/secure-writes.ts';
import { hasOpenssl, newCertificate } from '../support/process/certificate.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

const PIECE = 16 * 1024;

async function serve(response: (socket: TLSSocket) => void): Promise<TLSSocket> {
  const [cert, key] = newCertificate(temporaryDirectory(), 'localhost');
  const server: Server = createServer({ cert: readFileSync(cert), key: readFileSync(key) });
  server.on('secureConnection', (socket) => {
    writeInPieces(socket);
    response(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return client;
}

async function readAll(client: TLSSocket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of client) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** No two adjacent bytes are equal, and no two pieces. */
const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 31 + Math.floor(index / 251)) % 256));

describe.skipIf(!hasOpenssl)('writes of TLS connections', () => {
  test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 1_000_003])('%i bytes arrive unchanged', async (length) => {
    const client = await serve((socket) => socket.end(bytesOf(length)));
    expect((await readAll(client)).equals(bytesOf(length))).toBe(true);
  });

  test('queued text and bytes arrive in order', async () => {
    const parts = ['head', bytesOf(10), 'é'.repeat(20_000), bytesOf(PIECE), 'tail', bytesOf(100_000), 'end'];
    const client = await serve((socket) => {
      socket.cork();
      for (const part of parts) socket.write(part);
      socket.uncork();
      socket.end();
    });
    expect((await readAll(client)).equals(Buffer.concat(parts.map((part) => Buffer.from(part))))).toBe(true);
  });

  test('each callback is called once its bytes are written', async () => {
    const written: string[] = [];
    const client = await serve((socket) => {
      socket.write(bytesOf(200_000), () => written.push('first'));
      socket.write('', () => written.push('empty'));
      socket.write('small', () => written.push('small'));
      socket.end(() => written.push('end'));
    });
    expect(await readAll(client)).toHaveLength(200_005);
    expect(written).toEqual(['first', 'empty', 'small', 'end']);
  });

  test('a client that disconnects in between ends the write with a single error', async () => {
    const failed = Promise.withResolvers<unknown>();
    const client = await serve((socket) => {
      socket.on('error', () => {});
      socket.write(bytesOf(50_000_000), failed.resolve);
    });
    client.once('data', () => client.destroy());
    expect(await failed.promise).toBeInstanceOf(Error);
  });
});
