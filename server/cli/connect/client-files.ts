// Finds the files of clients on this machine. The only place that reads the variables with which clients move them.
import { isAbsolute, join, resolve } from 'node:path';
import type { Client } from '../../domain/clients/client.ts';
import type { Files, Scope } from '../../domain/clients/setup.ts';
import { homeDirectory } from '../home.ts';

export function fileOf({ moved }: Client, files: Files, scope: Scope): string {
  if (isAbsolute(files[scope])) return files[scope];
  if (scope === 'project') return join(process.cwd(), files.project);
  if (moved === undefined) return join(homeDirectory(), files.user);
  const { directory, variable, on = {} } = moved;
  const inside = files.user.startsWith(`${directory}/`) ? files.user.slice(directory.length + 1) : undefined;
  const named = process.env[variable];
  if (named) return join(resolve(named), inside ?? files.user);
  const { platform } = process;
  const other = platform === 'darwin' || platform === 'win32' ? on[platform] : undefined;
  return join(homeDirectory(), inside === undefined ? files.user : join(other ?? directory, inside));
}
