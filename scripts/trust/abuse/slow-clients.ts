// Clients that send their headers or body very slowly are disconnected, and delay no one until then.
import { connect } from 'node:net';
import { type Hub, until } from '../hub.ts';
import { expectSame, type Row } from '../row.ts';

/** The listener allows them 15 and 60 seconds. The rest is for a busy machine. */
const HEADERS_CUT_MS = 50_000;
const BODY_CUT_MS = 100_000;
const RESPONSE_MS = 1_000;

export const slowClients: Row = {
  name: 'slow-clients',
  promise: 'slow clients are disconnected',
  test: (connections) =>
    `${connections} connections that send a header byte every second${connections > 20 ? ', as many a body byte' : ''}`,
  target: 'all closed, others served meanwhile',
  amounts: { least: 5, quick: 20, long: 200 },
  isIdle: true,
  run: async (trial) => {
    const hub = await trial.start();
    const isLong = trial.size === 'long';
    const started = performance.now();
    const headers = Array.from({ length: trial.amount }, () => openSlowClient(hub, 'GET /health HTTP/1.1\r\nX-Slow: '));
    const bodies = isLong ? Array.from({ length: trial.amount }, () => openSlowClient(hub, BODY_BEGUN)) : [];
    const startedAt = performance.now();
    await (await fetch(`${hub.url}/health`)).text();
    const responseMs = performance.now() - startedAt;
    await until(() => headers.every(isClosed), HEADERS_CUT_MS, 100).catch(() => {});
    const headersCut = `headers cut after ${secondsSince(started)}`;
    await until(() => bodies.every(isClosed), BODY_CUT_MS, 100).catch(() => {});
    const left = [...headers, ...bodies].filter((connection) => !isClosed(connection));
    return {
      figure: [
        `${left.length} left open`,
        headersCut,
        ...(isLong ? [`bodies after ${secondsSince(started)}`] : []),
      ].join(', '),
      complaints: [
        ...expectSame('left open', left.length, 0),
        ...(responseMs < RESPONSE_MS ? [] : [`/health took ${responseMs} ms meanwhile`]),
      ],
    };
  },
};

function secondsSince(started: number): string {
  return `${Math.round((performance.now() - started) / 1_000)} s`;
}

const BODY_BEGUN =
  'POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';

type SlowClient = ReturnType<typeof connect>;

function openSlowClient(hub: Hub, beginning: string): SlowClient {
  const socket = connect({ host: '127.0.0.1', port: hub.port });
  const timer = setInterval(() => socket.writable && socket.write('x'), 1_000);
  socket.on('error', () => {}).on('close', () => clearInterval(timer));
  socket.resume().write(beginning);
  return socket;
}

function isClosed(socket: SlowClient): boolean {
  return socket.closed || socket.readableEnded;
}
