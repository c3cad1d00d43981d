// The socket in the data directory through which commands reach the running hub. The system lets only the owner of the
// directory open it, so nothing has to be proven on it; who holds the lock of the directory may replace one left behind.
import { chmodSync, openSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { SOCKET } from '../domain/data-files.ts';
import { HubError } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** What is being done may finish for so long. */
const FINISH_MS = 3 * SECOND_MS;

const MAX_PATH_BYTES = 100; // the system takes 107 on Linux and 103 on macOS

/** As the system can take it: by way of the open directory where its own path is too long. */
function socketPath(data: string): string {
  const path = join(data, SOCKET);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== 'linux') return path;
  return `/proc/self/fd/${openSync(data, 'r')}/${SOCKET}`;
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
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), FINISH_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

export type Question = { operation: string; input: object };

const NOBODY_THERE: readonly unknown[] = ['ENOENT', 'ECONNREFUSED'];

/** Undefined when no hub answers there. Throws what the hub refused as the HubError it is. */
export async function askThroughSocket<Result extends object>(data: string, question: Question): Promise<Result | undefined> {
  try {
    const response = await send(socketPath(data), JSON.stringify(question));
    const answer = JSON.parse(await textOf(response));
    if (response.statusCode === 200) return answer;
    throw new HubError(String(answer.error), String(answer.message));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (NOBODY_THERE.includes(code)) return undefined;
    if (error instanceof HubError) throw error;
    throw new CommandError(`cannot ask the hub that runs on ${data} (${String(code ?? error)}); be the user it runs as, or stop it first`, EXIT.denied);
  }
}

function send(socket: string, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ socketPath: socket, method: 'POST', path: '/', headers: { 'Content-Type': 'application/json' } }, resolve).once('error', reject).end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
