// One keep-alive connection that sends its request, waits for the answer, and sends again. It writes prepared bytes and
// reads no more of an answer than it must: a client library would take more of the machine than the servers it is to
// measure.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Stands in a request wherever its number belongs, so that no two requests are alike. */
export const NUMBER = '########';
/** Stands in a request wherever the last two digits of its number belong: to address one of a hundred agents. */
export const LANE = '@@';

export type Metrics = { answered: number; errors: number; latenciesMs: number[] };

type Traffic = {
  port: number;
  request: string;
  /** What a good answer holds somewhere in its body. */
  expected: string;
};

const SILENCE_MS = 10_000;

export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('no answer')));
  await once(socket, 'connect');
  return socket;
}

/** Sends while `mayGoOn`; what was sent before is still waited for. */
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
    const answer = wholeAnswer(pending);
    if (answer === undefined || sentAt === undefined) return;
    count(metrics, answer, traffic.expected, performance.now() - sentAt);
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
        if (sentAt !== undefined) metrics.errors++; // it closed with a request unanswered
        resolve();
      });
    send();
  });
}

function count(metrics: Metrics, answer: string, expected: string, latencyMs: number): void {
  const isGood = answer.startsWith('HTTP/1.1 200') && answer.includes(expected);
  if (isGood) metrics.answered++;
  else metrics.errors++;
  metrics.latenciesMs.push(latencyMs);
}

// The same bytes every time: by the time of the next request the last one has been answered, hence sent.
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

function wholeAnswer(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1');
  const bodyAt = text.indexOf('\r\n\r\n') + 4;
  const length = /\r\nContent-Length: (\d+)/i.exec(text)?.[1];
  return bodyAt < 4 || length === undefined || bytes.length < bodyAt + Number(length) ? undefined : text;
}
