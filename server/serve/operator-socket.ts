// The socket in the data directory through which commands reach the running hub. Only the owner of the directory can
// open it, so it needs no token. The holder of the directory's lock may replace a stale socket.
import { chmodSync, existsSync, openSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { join } from 'node:path';
import { SOCKET } from '../domain/files/data-files.ts';
import { RESOURCES_LOOK_MS } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time/time.ts';

/** Time for open requests to finish. */
const FINISH_MS = 3 * SECOND_MS;

const MAX_PATH_BYTES = 100; // the limit is 107 on Linux and 103 on macOS

/** The path of the socket; on Linux, a path that is too long is replaced by one through the open directory. */
export function socketPath(data: string): string {
  const path = join(data, SOCKET);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== 'linux') return path;
  return `/proc/self/fd/${openSync(data, 'r')}/${SOCKET}`;
}

/** Sends a request to the hub that runs on a data directory. Rejects with the error of the connection. */
export async function askOperator(
  data: string,
  body: object,
  signal?: AbortSignal,
): Promise<{ status: number | undefined; text: string }> {
  const response = await post(socketPath(data), JSON.stringify(body), signal);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return { status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') };
}

function post(socket: string, body: string, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A kept connection would be closed by the hub while the caller is busy for longer than that.
    const options = {
      socketPath: socket,
      agent: false,
      ...(signal && { signal }),
      method: 'POST',
      path: '/',
      headers: { 'Content-Type': 'application/json' },
    };
    request(options, resolve).once('error', reject).end(body);
  });
}

export type OperatorSocket = { stop(): Promise<void> };

/**
 * Rejects if the file system or the operating system does not support Unix sockets. A socket that is deleted while the
 * hub runs is created again, and `onReopened` called: without it, no command would reach the hub.
 */
export async function openOperatorSocket(
  data: string,
  answer: RequestListener,
  onReopened: (file: string) => void = () => {},
): Promise<OperatorSocket> {
  const path = socketPath(data);
  rmSync(path, { force: true });
  let server = await listenOn(path, answer);
  let isOpening = false;
  const look = async (): Promise<void> => {
    if (isOpening || existsSync(path)) return;
    isOpening = true;
    server.close(); // before the next one listens, since closing deletes the socket
    try {
      server = await listenOn(path, answer);
      onReopened(join(data, SOCKET));
    } catch {
      // The whole directory may be gone, which is another trouble.
    }
    isOpening = false;
  };
  const timer = setInterval(() => void look(), RESOURCES_LOOK_MS).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), FINISH_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

async function listenOn(path: string, answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}
