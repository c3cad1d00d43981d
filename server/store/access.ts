// The version of who may do what: triggers of the schema raise it with every change of tokens, members, users and networks.
import type { Reader } from './database.ts';

export async function version(reader: Reader): Promise<number> {
  const hub = await reader.first<{ access_version: number }>('SELECT access_version FROM hub');
  return hub?.access_version ?? 0;
}
