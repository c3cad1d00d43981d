// Resolves the names an operator gives: a user by username or id, a token by id, a network by id or
// unique name.
import type { User } from '../../domain/accounts/user.ts';
import { invalidInput, notFound } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';
import * as tokens from '../../store/tokens.ts';
import * as users from '../../store/users.ts';

export async function namedUser(reader: Reader, name: string): Promise<User> {
  const user = (await users.findByUsername(reader, name)) ?? (await users.find(reader, name));
  if (user === undefined) throw notFound(`user ${name} does not exist; agenthub user list shows all users`);
  return user;
}

export async function namedToken(reader: Reader, tokenId: string): Promise<tokens.TokenOverview & { user_id: string }> {
  const token = await tokens.findOverview(reader, tokenId);
  if (token === undefined) throw notFound(`token ${tokenId} does not exist; agenthub token list shows the ids`);
  return token;
}

export async function namedNetwork(reader: Reader, name: string): Promise<Network> {
  const network = await networks.find(reader, name);
  if (network !== undefined) return network;
  const [found, other] = await networks.findByName(reader, name);
  if (found === undefined) throw notFound(`network ${name} does not exist; agenthub network list shows all networks`);
  if (other !== undefined)
    throw invalidInput(`more than one network is named ${name}; give the id shown by agenthub network list`);
  return found;
}
