// Registers users in a new data directory without a running hub, with the cheapest password hash that a hub accepts.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openInProcessHub } from '../../../scripts/support/in-process-hub.ts';
import { readConfig } from '../../../server/config/config.ts';
import type { Hub } from '../../../server/hub.ts';
import { openPasswords } from '../../../server/native/passwords.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { perform } from '../../../server/operations/operation.ts';
import { type Account, PASSWORD } from '../http/rest-client.ts';

export async function registerAll(data: string, names: readonly string[]): Promise<Account[]> {
  mkdirSync(data, { mode: 0o700 });
  const passwords = openPasswords({ cost: 4 });
  const hub = await openInProcessHub({
    settings: readConfig({ flags: { data }, env: {} }),
    database: join(data, 'agenthub.db'),
    passwords,
  });
  const accounts: Account[] = [];
  for (const name of names) accounts.push(await registerIn(hub, name));
  await hub.store.close();
  await passwords.close();
  return accounts;
}

async function registerIn(hub: Hub, username: string): Promise<Account> {
  const visitor = { ip: '127.0.0.1' };
  const { user, token, network_token, network_id } = await perform(register, hub, visitor, {
    username,
    password: PASSWORD,
  });
  return { user: { ...user }, userToken: token, networkToken: network_token, networkId: network_id };
}
