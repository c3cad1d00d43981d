// The version of a client on this machine.
import { spawnSync } from 'node:child_process';
import type { Client } from '../../domain/clients/client.ts';

const TIMEOUT_MS = 10_000;

/** A sentence for a person whose client may not run the hooks. Undefined if it is new enough, or not installed. */
export function oldVersionNote({ setup: { title }, program }: Client): string | undefined {
  if (program === undefined) return undefined;
  const installed = installedVersion(program.command);
  if (installed === undefined || !isOlder(installed, program.version)) return undefined;
  return `${title} ${installed} is older than ${program.version}, with which its hooks are tested; update it if new mail is not announced`;
}

function installedVersion(command: string): string | undefined {
  const { stdout } = spawnSync(command, ['--version'], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
}

function isOlder(version: string, other: string): boolean {
  const [own = [], others = []] = [version, other].map((each) => each.split('.').map(Number));
  const index = own.findIndex((number, place) => number !== others[place]);
  return index >= 0 && (own[index] ?? 0) < (others[index] ?? 0);
}
