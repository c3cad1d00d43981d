// One keep-alive connection that sends its request, waits for the response, and repeats. It writes prepared bytes and
// parses as little of a response as possible: a client library would use more CPU than the measured servers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A placeholder for the number of the request, so that no two requests are identical. */
export const NUMBER = '########';
/** A placeholder for the last two digits of the number, to address one of a hundred agents. */
export const LANE = '@@';

export type Metrics = { responses: number; errors: number; latenciesMs: number[] };

type Traffic = {
  port: number;
  request: string;
  /** The text that a successful response contains. */
  expected: string;
};

const TIMEOUT_MS = 10_000;

export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response')));
  await once(socket, 'connect');
  return socket;
}

/** Sends while `mayGoOn` returns true, then waits for the last response. */
export function exchange(
  socket: Socket,
  traffic: Traffic,
  nextNumber: () => number,
  mayGoOn: () => boolean,
  metrics: Metrics,
): Promise<void> {
  const write = numbered(traffic.request, nextNumber);
  let pending: Buffer = Buffer.alloc(0);
  let sentAt: number | undefined;
  const send = (): void => {
    sentAt = performance.now();
    socket.write(write());
  };
  const receive = (chunk: Buffer): void => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const response = wholeResponse(pending);
    if (response === undefined || sentAt === undefined) return;
    count(metrics, response, traffic.expected, performance.now() - sentAt);
    pending = Buffer.alloc(0);
    sentAt = undefined;
    if (mayGoOn()) send();
    else socket.end();
  };
  return new Promise((resolve) => {
    socket
      .on('data', receive)
      .on('error', () => {})
      .on('close', () => {
        if (sentAt !== undefined) metrics.errors++; // closed with a pending request
        resolve();
      });
    send();
  });
}

function count(metrics: Metrics, response: string, expected: string, latencyMs: number): void {
  const isGood = response.startsWith('HTTP/1.1 200') && response.includes(expected);
  if (isGood) metrics.responses++;
  else metrics.errors++;
  metrics.latenciesMs.push(latencyMs);
}

// Reuses the buffer: before the next request, the previous one has been answered and therefore sent.
function numbered(request: string, nextNumber: () => number): () => Buffer {
  const bytes = Buffer.from(request);
  const [numbers, lanes] = [placesOf(NUMBER, request), placesOf(LANE, request)];
  return () => {
    const number = String(nextNumber()).padStart(NUMBER.length, '0');
    for (const place of numbers) bytes.write(number, place, 'latin1');
    for (const place of lanes) bytes.write(number.slice(-LANE.length), place, 'latin1');
    return bytes;
  };
}

function placesOf(mark: string, request: string): number[] {
  return [...request.matchAll(new RegExp(mark, 'g'))].map(({ index }) => Buffer.byteLength(request.slice(0, index)));
}

function wholeResponse(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1');
  const bodyAt = text.indexOf('\r\n\r\n') + 4;
  const length = /\r\nContent-Length: (\d+)/i.exec(text)?.[1];
  return bodyAt < 4 || length === undefined || bytes.length < bodyAt + Number(length) ? undefined : text;
}
