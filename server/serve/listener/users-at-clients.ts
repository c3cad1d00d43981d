// The only user who has used valid tokens from an address, as far as it is known. New connections of a user with many
// addresses then share one turn, and those of another user do not wait for all of them.
import { BoundedMap } from '../../http/limits/bounded-map.ts';

export type UsersAtClients = {
  note(client: string, user: string): void;
  /** Undefined if none is known, or several are: behind the same network address, or a proxy. */
  onlyUserAt(client: string): string | undefined;
};

const MAX_CLIENTS = 10_000;

export function openUsersAtClients(max = MAX_CLIENTS): UsersAtClients {
  const users = new BoundedMap<string, string | null>(max); // null for several
  return {
    note: (client, user) => {
      const known = users.get(client);
      if (known === user || known === null) return;
      users.set(client, known === undefined ? user : null);
    },
    onlyUserAt: (client) => users.get(client) ?? undefined,
  };
}
