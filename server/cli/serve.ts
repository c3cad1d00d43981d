// serve: runs a hub with the configuration from flags, the environment and the file.
import { start } from '../serve/start.ts';
import { effectiveConfig, type GivenOptions } from './key-options.ts';

export async function serve(options: GivenOptions): Promise<void> {
  await start(effectiveConfig(options));
}
