// serve, up to the database: what is wrong with the configuration, the port or the directory is said before the engine
// is loaded, which in a file system that is shut must lie in the data directory for a moment.
import type { Effective } from '../config/config.ts';
import { openListener } from './listener.ts';
import { makeDirectory, secureFiles } from './private-directory.ts';
import { readCertificate, warningsOf } from './tls.ts';

export async function start({ config, warnings }: Effective): Promise<void> {
  const certificate = readCertificate(config);
  const listener = await openListener(config.host, config.port, { certificate, isBehindProxy: config.trust_proxy > 0 });
  makeDirectory(config.data);
  const ofFiles = secureFiles(config.data);
  const { serve } = await import('./serve.ts');
  await serve(
    { config, warnings: [...warnings, ...ofFiles, ...(certificate === undefined ? [] : warningsOf(certificate))] },
    listener,
  );
}
