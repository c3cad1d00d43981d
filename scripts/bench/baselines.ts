// The servers of `baselines/`, which store nothing.
import { join } from 'node:path';
import type { Command } from '../support/process.ts';

export function baseline(file: string, ...args: string[]): Command {
  return { file: process.execPath, args: [join(import.meta.dirname, 'baselines', file), ...args] };
}
