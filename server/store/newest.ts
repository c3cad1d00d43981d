// Lists that only grow, newest first, over one or several networks. Each network is read through its own index and the
// pages are merged here: one statement over several networks would sort everything they hold.
import type { Reader, SqlValue } from './database.ts';

export type Page = { networks: readonly string[]; before?: number | undefined; limit: number };

type Listing = {
  select: string;
  from: string;
  /** The columns that hold the network and the number by which the list is ordered. */
  network: string;
  sequence: string;
  /** Conditions with one `?` each; one whose value is undefined is left out. */
  where?: readonly (readonly [condition: string, value: SqlValue | undefined])[];
};

/** Rows carry their number as `seq`, the cursor of the next page. */
export async function listNewest<Row extends object>(reader: Reader, listing: Listing, page: Page): Promise<(Row & { seq: number })[]> {
  const { sql, args } = statement(listing, page);
  const pages: (Row & { seq: number })[][] = [];
  for (const network of page.networks) pages.push(await reader.all(sql, [network, ...args]));
  return pages.length === 1 ? (pages[0] ?? []) : pages.flat().sort((one, other) => other.seq - one.seq).slice(0, page.limit);
}

function statement({ select, from, network, sequence, where = [] }: Listing, { before, limit }: Page) {
  const given = [...where, [`${sequence} < ?`, before] as const].flatMap(([condition, value]) =>
    value === undefined ? [] : [{ condition, value }],
  );
  const conditions = [`${network} = ?`, ...given.map(({ condition }) => condition)].join(' AND ');
  return {
    sql: `SELECT ${select}, ${sequence} AS seq FROM ${from} WHERE ${conditions} ORDER BY ${sequence} DESC LIMIT ?`,
    args: [...given.map(({ value }) => value), limit],
  };
}
