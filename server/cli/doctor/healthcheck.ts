// healthcheck: checks that the configured hub is healthy, for a container's HEALTHCHECK. Exits with 0 if it is, or 1.
import { localUrl } from '../../serve/addresses.ts';
import { CommandError } from '../exit-codes.ts';
import { effectiveConfig, type GivenOptions } from '../key-options.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';
import { probe } from './probe.ts';

export type HealthcheckOptions = GivenOptions & OutputOptions & { url?: string; timeout: number };

export async function healthcheck({ output, url, timeout, ...flags }: HealthcheckOptions): Promise<void> {
  const address = url ?? localUrl(effectiveConfig(flags).config);
  const { status, body } = await probe(`${address}/health`, { timeoutSeconds: timeout, isLocal: url === undefined });
  if (status !== 200 || body.status !== 'ok')
    throw new CommandError(`the hub at ${address} is not healthy: status ${status}`);
  sayAnswer({ output }, { url: address, ...body }, (answer) =>
    facts(Object.entries(answer).map(([name, value]) => [name, String(value)])),
  );
}
