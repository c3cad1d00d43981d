// The socket in the data directory through which commands reach the running hub. The system lets only the owner of the
// directory open it, so nothing has to be proven on it; who holds the lock of the directory may replace one left behind.
import { chmodSync, openSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';

const NAME = 'agenthub.sock';
const MAX_PATH_BYTES = 100; // the system takes 107 on Linux and 103 on macOS

/** Where the socket is, as the system can take it: by way of the open directory where its own path is too long. */
export function socketPath(data: string): string {
  const path = join(data, NAME);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== 'linux') return path;
  return `/proc/self/fd/${openSync(data, 'r')}/${NAME}`;
}

export type OperatorSocket = { stop(): Promise<void> };

/** Rejects where the file system, or the system, has no such sockets. */
export async function openOperatorSocket(data: string, answer: RequestListener): Promise<OperatorSocket> {
  const path = socketPath(data);
  const server = createServer(answer);
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
