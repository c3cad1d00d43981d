// serve: opens the hub, answers on its port, and on SIGTERM or SIGINT finishes what runs before it ends.
import { networkInterfaces } from 'node:os';
import type { Effective } from '../config.ts';
import type { Config } from '../config/keys.ts';
import { randomWord } from '../domain/ids.ts';
import { createApp } from '../http/app.ts';
import { openHub, type Hub } from '../hub.ts';
import { readAsset } from '../native/assets.ts';
import { openPasswords } from '../native/passwords.ts';
import { health } from '../operations/records/health.ts';
import { perform } from '../operations/operation.ts';
import { scheduleSweeps } from '../sweeps/schedule.ts';
import { VERSION } from '../version.ts';
import { banner, logListening } from './banner.ts';
import { openDataDirectory } from './data-directory.ts';
import { openListener } from './listener.ts';
import { openLog } from './log.ts';

const BCRYPT_COST = 12;
const EXIT_FATAL = 70; // EX_SOFTWARE

export async function serve({ config, warnings }: Effective): Promise<void> {
  const listener = await openListener(config.host, config.port);
  const directory = await openDataDirectory(config.data);
  const { admin_username, admin_password, ...settings } = config;
  const hub = await openHub({
    version: VERSION,
    settings,
    databaseFile: directory.databaseFile,
    setupToken: isLoopback(config.host) ? undefined : randomWord(24),
    passwords: openPasswords({ cost: BCRYPT_COST }),
    log: openLog(config),
    onFatal: endAtOnce,
  });
  if (!directory.isChecked) hub.log.warn({ database: directory.databaseFile }, 'the database is too large to be checked whole at every start');
  const app = createApp(hub, readAsset('console.pack'));
  const schedule = scheduleSweeps(hub, async () => ({ addresses: app.limits.sweep(hub.clock.now()) }));
  stopOnSignal(async () => {
    const finished = listener.stop();
    app.streams.endAll(); // the listener would wait for them for ever
    app.mcp.endAll();
    await finished;
    await schedule.stop();
    await hub.store.close();
    directory.lock.release();
  });
  listener.answer(app.koa.callback());
  for (const warning of warnings) hub.log.warn({}, warning);
  await announce(hub, config, listener.port);
}

// Going on after a failed commit or on a damaged file would lie to senders; a restart recovers.
function endAtOnce(error: unknown): never {
  process.stderr.write(`agenthub: the database failed (${error instanceof Error ? error.message : String(error)}); ending, a restart recovers\n`);
  process.exit(EXIT_FATAL);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
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

async function announce(hub: Hub, config: Config, port: number): Promise<void> {
  const { setup } = await perform(health, hub, { ip: 'hub' }, {});
  const listening = {
    version: VERSION, url: urlOf(config.host, port), data: config.data, isEmpty: setup !== 'done', setupToken: hub.setupToken,
  };
  if (process.stdout.isTTY) process.stdout.write(banner(listening));
  else logListening(hub.log, listening);
}

// An address that stands for all of them cannot be clicked: the first one others can reach takes its place.
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? (reachableAddress() ?? 'localhost') : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function reachableAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
