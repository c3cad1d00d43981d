// healthcheck: checks that the configured hub is healthy, for a container's HEALTHCHECK. Exits with 0 if it is, or 1.
import type { Config } from '../../config/keys.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { localUrl } from '../../serve/addresses.ts';
import { addressOn, type ClusterSummary, clusterAt } from '../data/running-hub.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { dataDirectoryOf, effectiveConfig, type GivenOptions } from '../key-options.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';
import { type Probe, probe } from './probe.ts';

export type HealthcheckOptions = GivenOptions & OutputOptions & { url?: string; timeout: number };

/**
 * If a data directory is given, only the hub that runs on it counts, since another may use the port. A flag for the
 * address takes precedence over a directory from the environment.
 */
async function configuredAddress(flags: GivenOptions, end: number): Promise<string> {
  const { config, origins } = effectiveConfig(flags);
  const sourceOf = (key: string): string | undefined => origins[key]?.source;
  const isAddressGiven = ['host', 'port'].some((key) => sourceOf(key) === 'flag');
  if (sourceOf('data') === 'flag' || (sourceOf('data') === 'environment' && !isAddressGiven))
    return addressOfHubOn(config, end);
  const running = isAddressGiven ? undefined : await runningOn(config.data, end);
  return running ?? localUrl(config);
}

/** A hub whose file system has no sockets, or that is starting, still holds the lock. */
async function addressOfHubOn(config: Config, end: number): Promise<string> {
  const { data } = config;
  const running = await askFor(data, end);
  if (running !== undefined) return running;
  // Loads the database engine, which needs a directory to write to.
  const { isInUse } = await import('../../serve/data-directory.ts');
  if (await isInUse(data)) return localUrl(config);
  throw new CommandError(`no hub is running on ${data}`);
}

/** The socket of another user cannot be opened, but the hub itself can be asked. */
async function runningOn(data: string, end: number): Promise<string | undefined> {
  try {
    return await addressOn(data, AbortSignal.timeout(left(end)));
  } catch (error) {
    if (error instanceof CommandError && error.exitCode === EXIT.denied) return undefined;
    throw error;
  }
}

async function askFor(data: string, end: number): Promise<string | undefined> {
  try {
    return await addressOn(data, AbortSignal.timeout(left(end)));
  } catch (error) {
    throw error instanceof CommandError ? new CommandError(error.message) : error;
  }
}

function left(end: number): number {
  return Math.max(1, Math.ceil(end - performance.now()));
}

export async function healthcheck({ output, url, timeout, ...flags }: HealthcheckOptions): Promise<void> {
  const end = performance.now() + timeout * SECOND_MS;
  const address = url ?? (await configuredAddress(flags, end));
  const timeoutSeconds = left(end) / SECOND_MS;
  const { status, body } = await probe(`${address}/health`, { timeoutSeconds, isLocal: url === undefined });
  if (status !== 200 || body.status !== 'ok')
    throw new CommandError(`the hub at ${address} is not healthy: status ${status}${reasonIn(body)}`);
  const cluster =
    url === undefined ? await clusterAt(address, dataDirectoryOf(flags), AbortSignal.timeout(left(end))) : null;
  sayAnswer({ output }, { url: address, ...body, ...(cluster !== null && { cluster }) }, () =>
    facts([
      ...Object.entries({ url: address, ...body }).map(([name, value]) => [name, String(value)] as const),
      ...(cluster === null ? [] : [['cluster', describe(cluster)] as const]),
    ]),
  );
}

function reasonIn({ message }: Probe['body']): string {
  return typeof message === 'string' ? `, ${message}` : '';
}

function describe({ hubs, leader }: ClusterSummary): string {
  const count = hubs === 1 ? '1 hub runs' : `${hubs} hubs run`;
  return `${count} on the database; ${leader ?? 'none'} runs the sweeps`;
}
