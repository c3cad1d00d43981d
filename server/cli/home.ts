// The home directory of the user, which a service or a container may not have.
import { homedir } from 'node:os';
import { CommandError } from './exit-codes.ts';

export function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    throw new CommandError('this user has no home directory: set HOME or XDG_CONFIG_HOME');
  }
}
