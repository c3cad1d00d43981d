// A hub whose users have registered before it starts. Hashing a password takes a quarter of a second of CPU time, so
// the users are registered once per run, with a cheap hash, and each hub starts with a copy of that data.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../http/rest-client.ts';
import { shared } from '../shared.ts';
import { type HubOptions, type RunningHub, startHub, temporaryDirectory } from './running-hub.ts';

export type HubOfAda = Account & { hub: RunningHub };

export async function hubOfAda(options: Omit<HubOptions, 'data'>): Promise<HubOfAda> {
  const [hub, account] = await hubOf(['ada'], options);
  return { hub, ...account };
}

type Each<Names extends readonly string[], Value> = { [Index in keyof Names]: Value };

/** The first user is admin. */
export async function hubOf<const Names extends readonly string[]>(
  names: Names,
  options: Omit<HubOptions, 'data'>,
): Promise<[RunningHub, ...Each<Names, Account>]> {
  const prepared = await shared(names.join(' '), (directory) => prepare(directory, names));
  const data = temporaryDirectory(options.atEnd);
  cpSync(join(prepared, 'data'), data, { recursive: true });
  const accounts: Each<Names, Account> = JSON.parse(readFileSync(join(prepared, 'accounts.json'), 'utf8'));
  return [await startHub({ ...options, data }), ...accounts];
}

async function prepare(directory: string, names: readonly string[]): Promise<void> {
  const { registerAll } = await import('./registered-users.ts');
  const accounts = await registerAll(join(directory, 'data'), names);
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify(accounts));
}
