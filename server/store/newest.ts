// Lists that only grow, newest first, over one or several networks. Each network is read through its own index and the
// pages are merged here: one statement over several networks would sort everything they hold.
import type { Reader, SqlValue } from './database.ts';

export type Page = { networks: readonly string[]; before?: number | undefined; limit: number };

type Listing = {
  select: string;
  from: string;
  /** The column that holds the network; undefined for a list of the whole hub. */
  network: string | undefined;
  /** The column by whose numbers the list is ordered. */
  sequence: string;
  /** Conditions with one `?` each; one whose value is undefined is left out. */
  where?: readonly (readonly [condition: string, value: SqlValue | undefined])[];
};

/** Rows carry their number as `seq`, the cursor of the next page. */
export async function listNewest<Row extends object>(reader: Reader, listing: Listing, page: Page): Promise<(Row & { seq: number })[]> {
  if (listing.network === undefined) return readPage(reader, listing, page, []);
  const pages: (Row & { seq: number })[][] = [];
  for (const network of page.networks) pages.push(await readPage(reader, listing, page, [[`${listing.network} = ?`, network]]));
  return pages.length === 1 ? (pages[0] ?? []) : pages.flat().sort((one, other) => other.seq - one.seq).slice(0, page.limit);
}

function readPage<Row>(reader: Reader, { select, from, sequence, where = [] }: Listing, { before, limit }: Page, within: NonNullable<Listing['where']>) {
  const given = [...within, ...where, [`${sequence} < ?`, before] as const].flatMap(([condition, value]) =>
    value === undefined ? [] : [{ condition, value }],
  );
  const conditions = given.length === 0 ? '' : `WHERE ${given.map(({ condition }) => condition).join(' AND ')}`;
  return reader.all<Row & { seq: number }>(
    `SELECT ${select}, ${sequence} AS seq FROM ${from} ${conditions} ORDER BY ${sequence} DESC LIMIT ?`,
    [...given.map(({ value }) => value), limit],
  );
}
