// Whom and what an operator names: a user by username or id, a network by id or by a name that only one has.
import type { User } from '../../domain/accounts/user.ts';
import { invalidInput, notFound } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';
import * as users from '../../store/users.ts';

export async function namedUser(reader: Reader, name: string): Promise<User> {
  const user = (await users.findByUsername(reader, name)) ?? (await users.find(reader, name));
  if (user === undefined) throw notFound(`there is no user ${name}; agenthub user list shows all`);
  return user;
}

export async function namedNetwork(reader: Reader, name: string): Promise<Network> {
  const network = await networks.find(reader, name);
  if (network !== undefined) return network;
  const [found, other] = await networks.findByName(reader, name);
  if (found === undefined) throw notFound(`there is no network ${name}; agenthub network list shows all`);
  if (other !== undefined)
    throw invalidInput(`${name} is the name of more than one network; give its id, which agenthub network list shows`);
  return found;
}
