// Maps the public `network_id`, which callers of the store use, to `network_seq`, the key in large tables.

export type NetworkSeqs = {
  /** Null for an unknown or removed network: it equals nothing, and a row with it is rejected. */
  of(networkId: string): number | null;
  /** Call after a rollback: the number of a network that was not committed may be reused. */
  forget(): void;
};

/** SQL for the public id of a row's network, where `table` is the name or alias of the row's table. */
export function networkIdOf(table: string): string {
  return `(SELECT n.network_id FROM networks n WHERE n.network_seq = ${table}.network_seq) AS network_id`;
}
