// Small HTTP servers on loopback that close at the end of their scope.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Served = Disposable & { url: string };

export async function serve(listener: RequestListener, onConnect?: (host: string) => void): Promise<Served> {
  const server = createServer(listener);
  server.on('connect', (request, socket) => {
    onConnect?.(request.url ?? '');
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${portOf(server.address())}`, [Symbol.dispose]: close };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}
