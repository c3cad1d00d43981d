// serve: opens the hub, listens, and on SIGTERM or SIGINT finishes what runs before it ends.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import { randomIds } from '../domain/ids.ts';
import { SECOND_MS } from '../domain/time.ts';
import { StartError } from '../domain/errors.ts';
import { createApp, type App } from '../http/app.ts';
import { openHub, type Hub } from '../hub.ts';
import { readAsset } from '../native/assets.ts';
import { openPasswords } from '../native/passwords.ts';
import { health } from '../operations/records/health.ts';
import { perform } from '../operations/operation.ts';
import { scheduleSweeps } from '../sweeps/schedule.ts';
import { VERSION } from '../version.ts';
import { banner, logListening } from './banner.ts';
import { openDataDirectory } from './data-directory.ts';
import { openLog } from './log.ts';

const BCRYPT_COST = 12;
const FINISH_MS = 3 * SECOND_MS;
// A client that dribbles its headers or body is cut off; an idle one is kept longer than proxies keep theirs.
const TIMEOUTS = { headersTimeout: 15 * SECOND_MS, requestTimeout: 60 * SECOND_MS, keepAliveTimeout: 75 * SECOND_MS };
const EXIT_FATAL = 70; // EX_SOFTWARE

export async function serve(config: Config): Promise<void> {
  const isTerminal = process.stdout.isTTY;
  const directory = await openDataDirectory(config.data);
  const hub = await openHub({
    version: VERSION,
    settings: config,
    databaseFile: directory.databaseFile,
    setupToken: isLoopback(config.host) ? undefined : randomIds.word(24),
    passwords: openPasswords({ cost: BCRYPT_COST }),
    log: openLog(config.log_level, isTerminal),
    onFatal: endAtOnce,
  });
  const app = createApp(hub, readAsset('console.pack'));
  const server = createServer(TIMEOUTS, app.koa.callback());
  const port = await listen(server, config);
  const schedule = scheduleSweeps(hub, async () => ({ addresses: app.limits.sweep(hub.clock.now()) }));
  await announce(hub, config, port, isTerminal);
  stopOnSignal(async () => {
    await finish(server, app);
    await schedule.stop();
    await hub.store.close();
    directory.lock.release();
  });
}

// Going on after a failed commit or on a damaged file would lie to senders; a restart recovers.
function endAtOnce(error: unknown): never {
  process.stderr.write(`agenthub: the database failed (${error instanceof Error ? error.message : String(error)}); ending, a restart recovers\n`);
  process.exit(EXIT_FATAL);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, () => resolve(portOf(server.address())));
  });
}

function cannotListen(error: Error, host: string, port: number): StartError {
  const code = 'code' in error ? error.code : error.message;
  const reason = code === 'EADDRINUSE' ? 'the port is taken' : code === 'EACCES' ? 'not allowed' : String(code);
  return new StartError(`cannot listen on ${host}:${port}: ${reason}; choose another with --port or --host`);
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

async function announce(hub: Hub, config: Config, port: number, isTerminal: boolean): Promise<void> {
  const { setup } = await perform(health, hub, { ip: 'hub' }, {});
  const listening = {
    version: VERSION, url: urlOf(config.host, port), data: config.data, isEmpty: setup !== 'done', setupToken: hub.setupToken,
  };
  if (isTerminal) process.stdout.write(banner(listening));
  else logListening(hub.log, listening);
}

// An address that stands for all of them cannot be clicked.
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

// Stops accepting, ends the streams and waits (the server would wait for them for ever), and gives the rest three seconds.
async function finish(server: Server, app: App): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  app.streams.endAll();
  app.mcp.endAll();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearTimeout(timer);
}
