// The first part of `serve`, up to the database: reports problems with the configuration, the port or the directory
// before it loads the engine, which on a locked-down file system is written to the data directory for a moment.
import type { Effective } from '../config/config.ts';
import type { Config } from '../config/keys.ts';
import { StartError } from '../domain/errors.ts';
import { type Listener, openListener, PortInUse } from './listener/listener.ts';
import { logFatal } from './log/fatal.ts';
import { holderOf, usedBy } from './machine/lock-holder.ts';
import { assertPortFile } from './port-file.ts';
import { makeDirectory, secureFiles } from './private-directory.ts';
import { type Certificate, readCertificate, transportWarnings } from './tls.ts';

/** `read` reads the configuration, at the start and again on SIGHUP. */
export async function start(read: () => Effective, options: Options = {}): Promise<void> {
  const effective = read();
  try {
    await begin(read, effective, options);
  } catch (error) {
    if (error instanceof StartError) logFatal(effective.config, error);
    throw error;
  }
}

type Options = { isEphemeral?: boolean };

async function begin(read: () => Effective, { config, warnings }: Effective, options: Options): Promise<void> {
  const { isEphemeral = false } = options;
  const certificate = readCertificate(config);
  const listener = await listen(config, certificate);
  makeDirectory(config.data);
  assertPortFile(config.port_file);
  const ofFiles = secureFiles(config.data);
  const { serve } = await import('./serve.ts');
  await serve(
    {
      config,
      warnings: [...warnings, ...ofFiles, ...transportWarnings(config, certificate)],
      readAgain: read,
      isEphemeral,
    },
    listener,
  );
}

async function listen(config: Config, certificate: Certificate | undefined): Promise<Listener> {
  const { host, port, trust_proxy } = config;
  try {
    return await openListener(host, port, { certificate, isBehindProxy: trust_proxy > 0 });
  } catch (error) {
    throw error instanceof PortInUse ? await portInUse(error, config) : error;
  }
}

/** The usual cause is a second start on the same directory. */
async function portInUse(error: PortInUse, { host, port, data }: Config): Promise<StartError> {
  const holder = await holderOf(data);
  if (holder.pid === undefined) return error;
  return new StartError(
    `cannot listen on ${host}:${port}: the port is in use; ${usedBy(data, holder)}; stop it, or choose another directory and port with --data and --port`,
  );
}
