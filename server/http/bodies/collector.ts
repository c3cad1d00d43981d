// Collects the bytes of a request body: counts them against the memory budget, filters and scans them as they arrive,
// so that a body over a limit is refused before it is complete.
import { type InvalidInput, invalidInput, payloadTooLarge } from '../../domain/errors.ts';
import { MAX_BODY_BYTES, MAX_JSON_DEPTH } from '../../domain/limits.ts';
import type { Hold } from './budget.ts';
import { type Scan, scanJson } from './json-cost.ts';
import { filterMembers } from './json-filter.ts';

/** Size limits of a body. With `names`, only these members are kept; others are dropped on arrival. */
export type BodySize = { bytes: number; members: number; names?: ReadonlySet<string> };

export type Collected = {
  /** Counts a chunk on arrival. Throws errors that do not concern the JSON. */
  count(chunk: Buffer): void;
  /** Scans a chunk. Returns errors in the JSON, and throws as above. */
  read(chunk: Buffer): InvalidInput | undefined;
  all(): Buffer;
  /** What parsing costs, in bytes of plain text. */
  weight(): number;
};

/** Collects one body. Each chunk is counted on arrival and scanned when it is its turn. */
export function collectBody({ bytes: limit, members, names }: BodySize, announced: number, hold: Hold): Collected {
  const scan = scanJson({ depth: MAX_JSON_DEPTH, members });
  let seen = 0; // members of the object, including those dropped before the scan
  const filter = names && filterMembers(names, () => (seen += 1));
  const kept = growing(filter ? 0 : announced, Math.min(limit, MAX_BODY_BYTES), hold);
  let arrived = 0;
  return {
    count: (chunk) => {
      arrived += chunk.length;
      if (arrived > limit) throw payloadTooLarge(limit);
      if (filter === undefined) kept.add(chunk);
    },
    read: (chunk) => {
      const known = filter?.(chunk) ?? chunk;
      if (seen > members) return tooManyMembers(members);
      if (filter !== undefined) kept.add(known);
      return faultIn(scan, known, members);
    },
    all: kept.all,
    weight: () => kept.all().length + scan.members() * MEMBER_WEIGHT,
  };
}

function faultIn(scan: Scan, chunk: Buffer, members: number): InvalidInput | undefined {
  const fault = scan.add(chunk);
  if (fault === 'depth') return invalidInput(`the body must not nest deeper than ${MAX_JSON_DEPTH} levels`);
  return fault && tooManyMembers(members);
}

function tooManyMembers(members: number): InvalidInput {
  return invalidInput(`the body must have at most ${members} members and list items in total`);
}

/** Parsing and copying 2,000 members takes about a millisecond. With this weight, they use up a turn and more. */
const MEMBER_WEIGHT = 64;

const FIRST_CAPACITY = 4096;

// One growing buffer, because a list of tiny chunks would take hundreds of times their length. Its size is at most
// twice the bytes that have arrived, regardless of Content-Length.
function growing(announced: number, limit: number, hold: Hold) {
  let buffer: Buffer | undefined;
  let length = 0;
  const grow = (wanted: number): void => {
    const capacity = buffer?.length ?? 0;
    if (wanted <= capacity) return;
    const doubled = Math.min(announced || limit, Math.max(2 * capacity, FIRST_CAPACITY));
    const larger = allocate(Math.max(wanted, doubled), capacity);
    buffer?.copy(larger, 0, 0, length);
    buffer = larger;
  };
  const allocate = (bytes: number, before: number): Buffer => {
    hold.take(bytes - before);
    return Buffer.allocUnsafe(bytes);
  };
  return {
    add: (chunk: Buffer): void => {
      if (length + chunk.length > limit) throw payloadTooLarge(limit);
      grow(length + chunk.length);
      buffer?.set(chunk, length);
      length += chunk.length;
    },
    all: (): Buffer => buffer?.subarray(0, length) ?? Buffer.alloc(0),
  };
}
