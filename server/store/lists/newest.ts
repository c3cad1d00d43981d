// Append-only lists, newest first by default, over one or several networks. The sequence numbers of each network are
// read through its own index and merged here: one statement over several networks would sort all their rows.
import { inEach } from '../engine/sql.ts';
import type { CounterTable, Reader, SqlValue } from '../engine/transaction.ts';

/** `beyond` is the position of the last item of the previous page, its number by default. */
export type Page<Position = number> = { networks: readonly string[]; beyond?: Position | undefined; limit: number };

/** A page, limited to what the next `rows` items of each network contain. */
export type SlicePage<Position = number> = Page<Position> & { rows: number };

/** `end` is the position where the next slice starts; undefined at the end of the list. */
export type Slice<Item, Position = number> = { found: Item[]; end: Position | undefined };

export type Condition = readonly [condition: string, value: SqlValue | undefined];

type Listing = {
  select: string;
  from: string;
  /** The column with the network, by its number or public id; undefined for a list of the whole hub. */
  network: { seq: string } | { id: string } | undefined;
  /** The column that orders the list. */
  sequence: string;
  /** Conditions with one `?` each; those with an undefined value are omitted. */
  where?: readonly Condition[];
  /** Conditions that divide the list into parts, each ordered by an index; empty if one index covers the whole list. */
  parts?: readonly string[] | undefined;
  /** Counter tables that `select` reads. */
  counters?: readonly CounterTable[];
};

export type SlicedListing = Listing & {
  /** The table with the sequence column, under its alias in `from`. */
  table: string;
  /** A condition with an index in sequence order. The other conditions are checked row by row. */
  along?: Condition | undefined;
};

export type Numbered<Row> = Row & { seq: number };

/** Rows include their number as `seq`, the cursor of the next page. */
export function listNewest<Row extends object>(reader: Reader, listing: Listing, page: Page): Promise<Numbered<Row>[]> {
  return listInOrder(reader, listing, page, NEWEST_FIRST);
}

/** The same list in the opposite order. */
export function listOldest<Row extends object>(reader: Reader, listing: Listing, page: Page): Promise<Numbered<Row>[]> {
  return listInOrder(reader, listing, page, OLDEST_FIRST);
}

/**
 * Filters without an index could scan a million rows, so this scans at most `rows`. Without such filters it reads the
 * whole page.
 */
export async function listSlice<Row extends object>(
  reader: Reader,
  listing: SlicedListing,
  page: SlicePage,
  order: 'newest' | 'oldest',
): Promise<Slice<Numbered<Row>>> {
  const { where = [], along, sequence } = listing;
  const direction = order === 'newest' ? NEWEST_FIRST : OLDEST_FIRST;
  const isFiltered = where.some(([, value]) => value !== undefined);
  const end = isFiltered ? await endOfSlice(reader, listing, page, direction) : undefined;
  const within = [...conditionOf(along), ...where, [`${sequence} ${direction.within} ?`, end] as const];
  return { found: await listInOrder<Row>(reader, { ...listing, where: within }, page, direction), end };
}

/** Counts the matches among the next `rows` items of each network. */
export async function countSlice(
  reader: Reader,
  listing: SlicedListing,
  page: SlicePage,
): Promise<{ count: number; end: number | undefined }> {
  const { table, where = [], along, sequence } = listing;
  const end = await endOfSlice(reader, listing, page, NEWEST_FIRST);
  const within = [
    ...conditionOf(along),
    ...where,
    [`${sequence} < ?`, page.beyond] as const,
    [`${sequence} >= ?`, end] as const,
  ];
  return { count: await countListed(reader, { ...listing, from: table, where: within }, page.networks), end };
}

/** The end of the slice: the nearest end of all its ranges. */
async function endOfSlice(
  reader: Reader,
  { table, sequence, along, ...listing }: SlicedListing,
  { networks, beyond, rows }: SlicePage,
  order: Order,
): Promise<number | undefined> {
  const ends: { seq: number }[] = [];
  for (const range of rangesOf(reader, listing, networks)) {
    const { clause, values } = whereOf([...range, ...conditionOf(along), [`${sequence} ${order.beyond} ?`, beyond]]);
    ends.push(
      ...(await reader.all<{ seq: number }>(
        `SELECT ${sequence} AS seq FROM ${table} ${clause} ORDER BY ${sequence} ${order.direction} LIMIT 1 OFFSET ?`,
        [...values, rows - 1],
      )),
    );
  }
  return ends.sort(order.compare)[0]?.seq;
}

function conditionOf(along: Condition | undefined): readonly Condition[] {
  return along === undefined ? [] : [along];
}

type Order = {
  direction: 'ASC' | 'DESC';
  beyond: '<' | '>';
  within: '>=' | '<=';
  compare(one: { seq: number }, other: { seq: number }): number;
};

const NEWEST_FIRST: Order = {
  direction: 'DESC',
  beyond: '<',
  within: '>=',
  compare: (one, other) => other.seq - one.seq,
};
const OLDEST_FIRST: Order = {
  direction: 'ASC',
  beyond: '>',
  within: '<=',
  compare: (one, other) => one.seq - other.seq,
};

async function listInOrder<Row extends object>(
  reader: Reader,
  listing: Listing,
  page: Page,
  order: Order,
): Promise<Numbered<Row>[]> {
  const ranges = rangesOf(reader, listing, page.networks);
  const [only, ...others] = ranges;
  if (others.length === 0) return only === undefined ? [] : readPage(reader, listing, page, order, only);
  const found: { seq: number }[] = [];
  for (const range of ranges) {
    found.push(
      ...(await readPage<{ seq: number }>(
        reader,
        { ...listing, select: `${listing.sequence} AS number` },
        page,
        order,
        range,
      )),
    );
  }
  return readNumbered(reader, listing, found.sort(order.compare).slice(0, page.limit), order);
}

type Conditions = readonly Condition[];

/** The ranges with their own index: each part of the list in each network. */
function rangesOf(
  reader: Reader,
  { network, parts = [] }: Pick<Listing, 'network' | 'parts'>,
  networks: readonly string[],
): Conditions[] {
  if (network === undefined) return [[]];
  const divided = parts.length === 0 ? [[]] : parts.map((part) => [[`${part} AND 1 = ?`, 1]] as const);
  return networks.flatMap((each) => divided.map((part) => [isOf(reader, network, each), ...part]));
}

function isOf(reader: Reader, network: NonNullable<Listing['network']>, networkId: string): Condition {
  return 'seq' in network ? [`${network.seq} = ?`, reader.networkSeq(networkId)] : [`${network.id} = ?`, networkId];
}

/**
 * Reads numbers first, and full rows only for the page: a page of each of a hundred networks could fill the hub's
 * memory.
 */
async function readNumbered<Row>(
  reader: Reader,
  { select, from, sequence, counters = [] }: Listing,
  numbers: readonly { seq: number }[],
  { direction }: Order,
): Promise<Numbered<Row>[]> {
  if (numbers.length === 0) return [];
  return reader.all<Numbered<Row>>(
    inEach(
      (dialect) =>
        `SELECT ${select}, ${sequence} AS seq FROM ${from} WHERE ${sequence} IN ${dialect.numbers('?')} ORDER BY ${sequence} ${direction}`,
    ),
    [JSON.stringify(numbers.map(({ seq }) => seq))],
    ...counters,
  );
}

function readPage<Row>(
  reader: Reader,
  { select, from, sequence, where = [], counters = [] }: Listing,
  { beyond, limit }: Page,
  order: Order,
  within: Conditions,
) {
  const { clause, values } = whereOf([...within, ...where, [`${sequence} ${order.beyond} ?`, beyond]]);
  return reader.all<Numbered<Row>>(
    `SELECT ${select}, ${sequence} AS seq FROM ${from} ${clause} ORDER BY ${sequence} ${order.direction} LIMIT ?`,
    [...values, limit],
    ...counters,
  );
}

function whereOf(conditions: Conditions): { clause: string; values: SqlValue[] } {
  const given = conditions.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
  const clause = given.length === 0 ? '' : `WHERE ${given.map(({ condition }) => condition).join(' AND ')}`;
  return { clause, values: given.map(({ value }) => value) };
}

/** Counts the rows of the whole list. */
async function countListed(
  reader: Reader,
  { from, where = [], ...listing }: Omit<Listing, 'select' | 'sequence'>,
  networks: readonly string[],
): Promise<number> {
  let total = 0;
  for (const range of rangesOf(reader, listing, networks)) {
    const { clause, values } = whereOf([...range, ...where]);
    total +=
      (await reader.first<{ count: number }>(`SELECT count(*) AS count FROM ${from} ${clause}`, values))?.count ?? 0;
  }
  return total;
}
