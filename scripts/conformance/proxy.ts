// A proxy for the conformance runner, which cannot send headers: it adds the bearer token to requests.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FixtureHub } from './fixture-hub.ts';

export type Proxy = Disposable & { url: string };

/** `added` are additional headers of responses. */
export async function openProxy({ port, token }: FixtureHub, added: Record<string, string> = {}): Promise<Proxy> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const sent = request(
      { host: '127.0.0.1', port, method, path: url, headers: { ...headers, authorization: `Bearer ${token}` } },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...added });
        response.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url: `http://localhost:${portOf(proxy.address())}/mcp`, [Symbol.dispose]: close };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  return address.port;
}
