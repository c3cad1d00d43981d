// Prints the address of a server in the same form as the hub.
import type { Server } from 'node:http';

export function printUrl(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`);
  });
}
