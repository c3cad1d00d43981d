// Requests that appear to come from many addresses: the hub trusts one proxy, which is this program.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { MAX_UNANSWERED_REQUESTS } from '../../../server/domain/limits.ts';
import { type JsonObject, objectIn } from '../../../test/support/json.ts';
import type { Hub } from '../hub.ts';

/** Makes the hub trust this program as a proxy. */
export const PROXIED = ['--trust-proxy', '1', '--registration', 'open'];

export type FromAddress = { status: number; body: JsonObject; retryAfter: string | null };

export async function postFrom(
  hub: Hub,
  address: string,
  path: string,
  body: object,
  bearer?: string,
): Promise<FromAddress> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Forwarded-For': address,
    ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
  };
  const response = await fetch(hub.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    status: response.status,
    body: objectIn(await response.text()),
    retryAfter: response.headers.get('retry-after'),
  };
}

const AT_ONCE = MAX_UNANSWERED_REQUESTS;
const SILENCE_MS = 20_000;

/** One failed login from each address, many per packet. Returns how many responses had this status. */
export async function floodFrom(hub: Hub, addresses: readonly string[], status: number): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port: hub.port, noDelay: true });
  socket.setTimeout(SILENCE_MS, () => socket.destroy()).on('error', () => {}); // a close event follows
  let counted = 0;
  try {
    for (let start = 0; start < addresses.length; start += AT_ONCE) {
      const batch = addresses.slice(start, start + AT_ONCE);
      counted += await exchange(socket, batch.map(badLogin).join(''), batch.length, `HTTP/1.1 ${status} `);
    }
  } finally {
    socket.destroy();
  }
  return counted;
}

function badLogin(address: string): string {
  return `POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
}

function exchange(socket: Socket, requests: string, wanted: number, expected: string): Promise<number> {
  let received = '';
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(new Error('the connection broke off'));
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1');
      if (count(received, 'HTTP/1.1 ') < wanted || !received.endsWith('}')) return;
      socket.off('data', onData).off('close', onClose);
      resolve(count(received, expected));
    };
    socket
      .on('close', onClose)
      .on('data', onData)
      .write(requests, (failed) => void (failed && onClose()));
  });
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** The memory that a process uses now. Linux only. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
