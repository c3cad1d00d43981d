// The command line that starts this program again.
import { isSea } from 'node:sea';

export function thisProgram(): string[] {
  return isSea() ? [process.execPath] : [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
}
