// An in-process hub behind a real server on a free port: as fast as a function call, but every byte goes over HTTP. All
// log entries, including debug, are kept.
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Ids } from '../../../server/domain/ids/ids.ts';
import type { Log } from '../../../server/domain/log.ts';
import { createApp } from '../../../server/http/app.ts';
import { packFiles } from '../../../server/http/console/pack.ts';
import type { Hub } from '../../../server/hub.ts';
import { openTestHub, type TestHub } from '../../support/test-hub.ts';

export type ServedHub = {
  hub: TestHub;
  /** Without a trailing slash. */
  url: string;
  /** One entry per log line: level, message and fields as JSON. */
  logged: string[];
};

/**
 * Trusts one proxy, so that a test can use as many client addresses as it needs. `served` can wrap the hub before the
 * handlers use it.
 */
export async function serveTestHub(served = (hub: TestHub): TestHub => hub): Promise<ServedHub> {
  const logged: string[] = [];
  const hub = { ...(await openTestHub({ trust_proxy: 1 })), ids: unguessableIds, log: logInto(logged) };
  return { hub, logged, url: await serve(served(hub)) };
}

// Random ids instead of sequential ones: strings searched for in responses must not occur there by chance.
const unguessableIds: Ids = { next: (prefix) => `${prefix}_${word(22)}`, word, fraction: () => 0.5 };

function word(length: number): string {
  return Array.from({ length }, () => randomInt(36).toString(36)).join('');
}

function logInto(lines: string[]): Log {
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields, plainError)}`);
  return { isLevelEnabled: () => true, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function plainError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, text: value.stack } : value;
}

const PAGE = packFiles([{ path: '/index.html', type: 'text/html', body: Buffer.from('the console') }]);

/** Listens on a free port until the test ends. */
async function serve(hub: Hub): Promise<string> {
  const app = createApp(hub, PAGE);
  const server = createServer(app.koa.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => close(server, app.streams.endAll));
  const { port } = addressOf(server);
  return `http://127.0.0.1:${port}`;
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}

function close(server: Server, endStreams: () => void): Promise<void> {
  endStreams();
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
