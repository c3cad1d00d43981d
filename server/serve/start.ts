// The first part of `serve`, up to the database: reports problems with the configuration, the port or the directory
// before it loads the engine, which on a locked-down file system is written to the data directory for a moment.
import type { Effective } from '../config/config.ts';
import { openListener } from './listener.ts';
import { assertPortFile } from './port-file.ts';
import { makeDirectory, secureFiles } from './private-directory.ts';
import { readCertificate, transportWarnings } from './tls.ts';

/** `read` reads the configuration, at the start and again on SIGHUP. */
export async function start(read: () => Effective, { isEphemeral = false } = {}): Promise<void> {
  const { config, warnings } = read();
  const certificate = readCertificate(config);
  const listener = await openListener(config.host, config.port, { certificate, isBehindProxy: config.trust_proxy > 0 });
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
