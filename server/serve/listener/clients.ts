// Where a connection comes from. It is remembered, because it is needed for each request, often for all connections at
// once, and because a closed connection has no address.
import type { Socket } from 'node:net';
import { clientKey } from '../../domain/addresses.ts';

const clients = new WeakMap<Socket, string>();

/** The address of the client, or the block of addresses that it belongs to. Ask once while the connection is open. */
export function clientOfSocket(socket: Socket): string {
  const known = clients.get(socket);
  if (known !== undefined) return known;
  const client = clientKey(socket.remoteAddress ?? '');
  clients.set(socket, client);
  return client;
}
