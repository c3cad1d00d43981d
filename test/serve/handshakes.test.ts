// TLS handshakes of a burst of connections: a few in each turn of the event loop, in turn the one that waits longest
// and those of different clients in rotation, and none with a client that has left.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, get, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { noteArrival } from '../../server/domain/time/turn-share.ts';
import { spreadHandshakes } from '../../server/serve/listener/handshakes.ts';
import { hasOpenssl, newCertificate } from '../support/process/certificate.ts';

const CLIENTS = 60;
const SEVERAL = 12;

describe.skipIf(!hasOpenssl)('the handshakes of a burst of connections', () => {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-tests-'));
  let secrets: { cert: Buffer; key: Buffer };
  beforeAll(() => {
    const [cert, key] = newCertificate(directory, 'localhost');
    secrets = { cert: readFileSync(cert), key: readFileSync(key) };
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** Lists the ports of the clients whose handshakes begin, by turn, and how many clients had arrived by then. */
  async function serve(clientOf: (socket: Socket) => string) {
    vi.spyOn(performance, 'now').mockReturnValue(0); // otherwise the wait for more of them ends after some milliseconds
    const begun: (number | undefined)[][] = [[]];
    const arrivedBefore: number[] = [];
    let arrived = 0;
    const server = createServer(secrets, (_, response) => response.end('done'));
    server.prependListener('connection', ({ remotePort }: Socket) => {
      begun.at(-1)?.push(remotePort);
      arrivedBefore.push(arrived);
    });
    spreadHandshakes(server, clientOf);
    server.on('connection', noteArrival);
    server.on('connection', () => (arrived += 1));
    let isOver = false;
    const countTurns = async (): Promise<void> => {
      while (!isOver) {
        await nextTurn();
        if (begun.at(-1)?.length !== 0) begun.push([]);
      }
    };
    void countTurns();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      vi.restoreAllMocks();
      isOver = true;
      server.closeAllConnections();
      server.close();
    });
    return { server, begun, arrivedBefore };
  }

  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  const ask = async (port: number): Promise<string> => {
    const [response] = await once(
      get({ port, host: '127.0.0.1', agent: false, rejectUnauthorized: false }),
      'response',
    );
    const [text] = await once(response.setEncoding('utf8'), 'data');
    return text;
  };

  test('are spread, and each client is served', async () => {
    const { server, begun, arrivedBefore } = await serve(() => 'burst');
    const answers = await Promise.all(Array.from({ length: CLIENTS }, () => ask(portOf(server))));
    expect(answers).toEqual(Array(CLIENTS).fill('done'));
    expect(begun.flat()).toHaveLength(CLIENTS);
    expect(arrivedBefore.filter((number) => number < CLIENTS).length).toBeLessThan(5);
    expect(Math.max(...begun.map((turn) => turn.length))).toBeLessThanOrEqual(8);
  });

  test('are skipped for clients that have left', async () => {
    const { server, begun } = await serve(() => 'burst');
    const clients = Array.from({ length: CLIENTS }, () => connect(portOf(server), '127.0.0.1'));
    for (const client of clients) client.once('connect', () => client.resetAndDestroy());
    await Promise.all(clients.map((client) => once(client, 'close')));
    expect(await ask(portOf(server))).toBe('done');
    expect(begun.flat().length).toBeLessThan(CLIENTS / 2);
  });

  test('are skipped for connections that the hub has closed meanwhile', async () => {
    const { server, begun } = await serve(() => 'burst');
    server.on('connection', (socket: Socket) => setImmediate(() => socket.destroy()));
    const clients = Array.from({ length: CLIENTS }, () => connect(portOf(server), '127.0.0.1'));
    await Promise.all(clients.map((client) => once(client.on('error', () => {}).resume(), 'close')));
    expect(begun.flat().length).toBeLessThan(CLIENTS / 2);
  });

  test('of one client do not delay that of another', async () => {
    const { server, begun } = await serve(({ remoteAddress = '' }) => remoteAddress);
    const clients = Array.from({ length: CLIENTS }, () => connect(portOf(server), '127.0.0.1'));
    const other = connect({ port: portOf(server), host: '127.0.0.1', localAddress: '127.0.0.2' });
    onTestFinished(() => [...clients, other].forEach((client) => client.destroy()));
    await Promise.all([...clients, other].map((client) => once(client, 'connect')));
    await expect.poll(() => begun.flat().length).toBe(CLIENTS + 1);
    expect(begun.flat().indexOf(other.localPort)).toBeLessThan(CLIENTS / 2);
  });

  test('of many clients do not delay those of one that came before them', async () => {
    const { server, begun } = await serve(({ remoteAddress = '' }) => remoteAddress);
    const dial = (localAddress: string): Socket => connect({ port: portOf(server), host: '127.0.0.1', localAddress });
    const several = Array.from({ length: SEVERAL }, () => dial('127.0.0.2'));
    const others = Array.from({ length: CLIENTS }, (_, number) => dial(`127.0.1.${number + 1}`));
    onTestFinished(() => [...several, ...others].forEach((client) => client.destroy()));
    await Promise.all([...several, ...others].map((client) => once(client, 'connect')));
    await expect.poll(() => begun.flat().length).toBe(SEVERAL + CLIENTS);
    const places = several.map(({ localPort }) => begun.flat().indexOf(localPort));
    expect(Math.max(...places)).toBeLessThan(3 * SEVERAL);
  });
});
