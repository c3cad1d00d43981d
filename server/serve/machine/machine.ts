// What the hub can ask about this process, its files and its log.
import { statSync } from 'node:fs';
import type { Config } from '../../config/keys.ts';
import { withoutSecrets } from '../../config/without-secrets.ts';
import type { Machine } from '../../domain/health/machine.ts';
import { databaseSince, newestBackup } from '../scheduled-backup.ts';
import { readDescriptors } from './descriptors.ts';

export function openMachine(
  config: Config,
  { certificateEnd }: Pick<Machine, 'certificateEnd'>,
  recentLog: Machine['recentLog'],
): Machine {
  const program = identityOf(process.execPath);
  return {
    descriptors: readDescriptors,
    configuration: withoutSecrets(config),
    dataDirectory: config.data,
    newestBackup: () => newestBackup(config.data),
    databaseSince: () => databaseSince(config.data),
    certificateEnd,
    isProgramReplaced: () => identityOf(process.execPath) !== program,
    recentLog,
  };
}

function identityOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}`;
}
