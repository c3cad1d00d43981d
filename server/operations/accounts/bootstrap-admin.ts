// Creates the first admin of an unattended hub from the configuration, at startup.
import type { Hub } from '../../hub.ts';
import * as users from '../../store/users.ts';
import { perform } from '../operation.ts';
import { register } from './register.ts';

export type FirstAdmin = { username: string; password: string };

/**
 * Does nothing if a user exists. The audit log records it like any registration. Returns whether it created the user.
 */
export async function bootstrapAdmin(hub: Hub, admin: FirstAdmin): Promise<boolean> {
  if (await hub.store.read(users.isAny)) return false;
  await perform(register, hub, { ip: 'hub', bearer: hub.setup.token }, admin);
  return true;
}
