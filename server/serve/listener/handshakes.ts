// Begins the TLS handshakes of new connections a few per turn of the event loop. One takes half a millisecond, and
// without this, all that have arrived ran in one turn: with two thousand ClientHellos a second, whose senders left at
// once, requests on open connections waited for two seconds.
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { openBurst } from './burst.ts';

/** They take 4 ms. */
const MAX_PER_TURN = 8;

type Handle = { reading?: boolean; readStop(): unknown; getpeername?(peer: object): number };

/** Call it before other listeners are added to the server. */
export function spreadHandshakes(server: Server, clientOf: (socket: Socket) => string): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const begin = (socket: Socket): void => {
    if (socket.destroyed || hasLeft(socket)) socket.destroy();
    else for (const listener of listeners) listener.call(server, socket);
  };
  const burst = openBurst({
    begin,
    holderOf: clientOf,
    maxPerTurn: MAX_PER_TURN,
    onBegun: () => {
      const start = performance.now();
      setImmediate(() => burst.adapt(performance.now() - start)); // they run in between
    },
  });
  server.on('connection', (socket: Socket) => {
    if (burst.isOne(socket)) stopReading(socket);
    else begin(socket);
  });
}

/** The TLS socket begins to read if `reading` is false. */
function stopReading(socket: Socket): void {
  const handle = handleOf(socket);
  if (handle === undefined) return;
  handle.readStop();
  handle.reading = false;
}

/** Whether the client has reset a connection that nothing reads. A handshake with it would be wasted. */
function hasLeft(socket: Socket): boolean {
  const code = handleOf(socket)?.getpeername?.({}) ?? 0;
  return code !== 0;
}

// `_handle` is undocumented, but Node has had it for ten years. Without it, clients that have left are not skipped.
function handleOf(socket: Socket): Handle | undefined {
  return (socket as Socket & { _handle?: Handle | null })._handle ?? undefined;
}
