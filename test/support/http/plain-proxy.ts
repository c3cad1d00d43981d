// A minimal reverse proxy in the test process. It forwards requests and responses, and can imitate every mistake of a
// proxy.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Front = {
  /** The new value of X-Forwarded-For. */
  forward?: (claimed: string) => string;
  holdsBack?: true;
  host?: string;
  answers?: number;
};

export function append(claimed: string): string {
  return claimed === '' ? '198.51.100.7' : `${claimed}, 198.51.100.7`;
}

/** The target is set once the hub is running. */
export async function openFront(proxy: Front): Promise<{ url: string; leadTo(url: string): void }> {
  let target = '';
  const server = createServer((asked, response) => pass(proxy, target, asked, response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server.address())}`, leadTo: (url) => void (target = url) };
}

function pass(
  { forward = append, holdsBack, host, answers }: Front,
  target: string,
  asked: IncomingMessage,
  response: ServerResponse,
): void {
  if (answers !== undefined || target === '') return void response.writeHead(answers ?? 502).end();
  const claimed = String(asked.headers['x-forwarded-for'] ?? '');
  const headers = { ...asked.headers, 'x-forwarded-for': forward(claimed), ...(host !== undefined && { host }) };
  const onward = request(
    target + asked.url,
    { method: asked.method ?? 'GET', headers, agent: false },
    async (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (!holdsBack) return void answer.pipe(response);
      const held = await answer.toArray();
      response.end(Buffer.concat(held));
    },
  );
  asked.pipe(onward.once('error', () => response.destroy()));
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  return address.port;
}
