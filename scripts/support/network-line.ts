// The network between a hub and its database server, which can be cut: nothing passes then, and neither end notices.
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

export type Line = {
  /** The URL of the server through this line. */
  url: string;
  cut(): void;
  /** Cuts the connection that was opened last, for good. */
  cutLast(): void;
  /** What was sent meanwhile passes now, as the network sends it again. */
  repair(): void;
  close(): void;
};

export async function openLine(serverUrl: string): Promise<Line> {
  const { port: serverPort, hostname } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  let isCut = false;
  const take = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    return socket.once('close', () => sockets.delete(socket));
  };
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (bytes) => to.write(bytes));
    from.on('end', () => to.end());
    if (isCut) from.pause();
  };
  // Two small packets in a row would wait for an acknowledgement, which the system delays by 40 ms.
  const listener = createServer({ noDelay: true }, (near) => {
    const far = take(connect({ port: Number(serverPort), host: hostname, noDelay: true }));
    pairs.push([take(near), far]);
    pass(near, far);
    pass(far, near);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => void listener.listen(port, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.port = String(port);
  return {
    url: url.href,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    cutLast: () => {
      for (const socket of pairs.at(-1) ?? []) {
        socket.pause();
        sockets.delete(socket);
      }
    },
    repair: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      listener.close();
      for (const socket of pairs.flat()) socket.destroy();
    },
  };
}
