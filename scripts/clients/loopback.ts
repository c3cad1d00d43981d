// Small HTTP servers on loopback that close at the end of their scope.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Served = Disposable & {
  url: string;
  /** Cuts all connections and refuses new ones, as a server that is down does. */
  stop(): void;
  /** Takes connections again, at the same address. */
  start(): Promise<void>;
};

export async function serve(listener: RequestListener, onConnect?: (host: string) => void): Promise<Served> {
  const server = createServer(listener);
  server.on('connect', (request, socket) => {
    onConnect?.(request.url ?? '');
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const port = portOf(server.address());
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, stop, start: () => listen(port), [Symbol.dispose]: stop };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}
