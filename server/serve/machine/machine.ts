// What the hub can ask about this process, its files and its log.
import { statSync } from 'node:fs';
import type { Config } from '../../config/keys.ts';
import type { Machine } from '../../domain/health/machine.ts';
import { newestBackup } from '../scheduled-backup.ts';
import { readCertificate } from '../tls.ts';
import { readDescriptors } from './descriptors.ts';

export function openMachine(config: Config, recentLog: Machine['recentLog']): Machine {
  const program = identityOf(process.execPath);
  return {
    descriptors: readDescriptors,
    dataDirectory: config.data,
    newestBackup: () => newestBackup(config.data),
    certificateEnd: () => endOf(config),
    isProgramReplaced: () => identityOf(process.execPath) !== program,
    recentLog,
  };
}

/** Undefined if the file cannot be read: the hub then serves one that it has read before. */
function endOf(config: Config): number | undefined {
  try {
    const certificate = readCertificate(config);
    return certificate && Date.parse(certificate.leaf.validTo);
  } catch {
    return undefined;
  }
}

function identityOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}`;
}
