// A minimal reverse proxy in the test process. It forwards requests and responses, and can imitate every mistake of a
// proxy.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type ProxyBehavior = {
  /** The new value of X-Forwarded-For. */
  forward?: (claimed: string) => string;
  holdsBack?: true;
  host?: string;
  responses?: number;
};

export function append(claimed: string): string {
  return claimed === '' ? '198.51.100.7' : `${claimed}, 198.51.100.7`;
}

/** The target is set once the hub is running. */
export async function openProxy(proxy: ProxyBehavior): Promise<{ url: string; leadTo(url: string): void }> {
  let target = '';
  const server = createServer((request, response) => pass(proxy, target, request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${portOf(server.address())}`, leadTo: (url) => void (target = url) };
}

function pass(
  { forward = append, holdsBack, host, responses }: ProxyBehavior,
  target: string,
  outgoing: IncomingMessage,
  response: ServerResponse,
): void {
  if (responses !== undefined || target === '') return void response.writeHead(responses ?? 502).end();
  const claimed = String(outgoing.headers['x-forwarded-for'] ?? '');
  const headers = { ...outgoing.headers, 'x-forwarded-for': forward(claimed), ...(host !== undefined && { host }) };
  const onward = request(
    target + outgoing.url,
    { method: outgoing.method ?? 'GET', headers, agent: false },
    async (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      if (!holdsBack) return void reply.pipe(response);
      const held = await reply.toArray();
      response.end(Buffer.concat(held));
    },
  );
  outgoing.pipe(onward.once('error', () => response.destroy()));
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('it listens on no port');
  return address.port;
}
