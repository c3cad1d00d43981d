// The first admin of a hub that nobody sets up by hand, made at the start from the configuration.
import type { Hub } from '../../hub.ts';
import * as users from '../../store/users.ts';
import { perform } from '../operation.ts';
import { register } from './register.ts';

export type FirstAdmin = { username: string; password: string };

/**
 * Does nothing where there is a user already; the audit log tells of it as of any registration. Answers whether it did.
 */
export async function bootstrapAdmin(hub: Hub, admin: FirstAdmin): Promise<boolean> {
  if (await hub.store.read(users.isAny)) return false;
  await perform(register, hub, { ip: 'hub', bearer: hub.setupToken }, admin);
  return true;
}
