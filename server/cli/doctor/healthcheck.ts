// healthcheck: checks that the configured hub is healthy, for a container's HEALTHCHECK. Exits with 0 if it is, or 1.
import { localUrl } from '../../serve/addresses.ts';
import { addressOn } from '../data/running-hub.ts';
import { CommandError } from '../exit-codes.ts';
import { effectiveConfig, type GivenOptions } from '../key-options.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';
import { probe } from './probe.ts';

export type HealthcheckOptions = GivenOptions & OutputOptions & { url?: string; timeout: number };

/** The hub that runs on the data directory knows its address, even if a flag or its environment has set it. */
async function configuredAddress(flags: GivenOptions): Promise<string> {
  const { config, origins } = effectiveConfig(flags);
  const isAddressGiven = (['host', 'port'] as const).some((key) => origins[key]?.source === 'flag');
  const running = isAddressGiven ? undefined : await runningOn(config.data);
  return running ?? localUrl(config);
}

// The socket of another user cannot be opened, but the hub itself can be asked.
async function runningOn(data: string): Promise<string | undefined> {
  try {
    return await addressOn(data);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

export async function healthcheck({ output, url, timeout, ...flags }: HealthcheckOptions): Promise<void> {
  const address = url ?? (await configuredAddress(flags));
  const { status, body } = await probe(`${address}/health`, { timeoutSeconds: timeout, isLocal: url === undefined });
  if (status !== 200 || body.status !== 'ok')
    throw new CommandError(`the hub at ${address} is not healthy: status ${status}`);
  sayAnswer({ output }, { url: address, ...body }, (answer) =>
    facts(Object.entries(answer).map(([name, value]) => [name, String(value)])),
  );
}
