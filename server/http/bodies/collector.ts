// The bytes of a request body as they arrive: counted, held against memory, filtered and scanned, so that a body that
// breaks a limit is refused before all of it is here.
import { type InvalidInput, invalidInput, payloadTooLarge } from '../../domain/errors.ts';
import { MAX_BODY_BYTES, MAX_JSON_DEPTH } from '../../domain/limits.ts';
import type { Hold } from './budget.ts';
import { type Scan, scanJson } from './json-cost.ts';
import { filterMembers } from './json-filter.ts';

/**
 * How large a body may be. `names` are the members that are read of it: then others are dropped on their way, and it
 * may be larger.
 */
export type BodySize = { bytes: number; members: number; names?: ReadonlySet<string> };

export type Collected = {
  /** Counts a chunk that has arrived. Throws what does not concern the body's JSON. */
  count(chunk: Buffer): void;
  /** Reads it. Returns what is wrong with the JSON, and throws as above. */
  read(chunk: Buffer): InvalidInput | undefined;
  all(): Buffer;
};

/** The body as far as it has arrived. Each chunk is counted on arrival, and read when it is its turn. */
export function collectBody({ bytes: limit, members, names }: BodySize, announced: number, hold: Hold): Collected {
  const scan = scanJson({ depth: MAX_JSON_DEPTH, members });
  let seen = 0; // members of the object, including those that are dropped before the scan
  const sieve = names && filterMembers(names, () => (seen += 1));
  const kept = growing(sieve ? 0 : announced, Math.min(limit, MAX_BODY_BYTES), hold);
  let arrived = 0;
  return {
    count: (chunk) => {
      arrived += chunk.length;
      if (arrived > limit) throw payloadTooLarge(limit);
      if (sieve === undefined) kept.add(chunk);
    },
    read: (chunk) => {
      const known = sieve?.(chunk) ?? chunk;
      if (seen > members) return tooManyMembers(members);
      if (sieve !== undefined) kept.add(known);
      return faultIn(scan, known, members);
    },
    all: kept.all,
  };
}

function faultIn(scan: Scan, chunk: Buffer, members: number): InvalidInput | undefined {
  const fault = scan.add(chunk);
  if (fault === 'depth') return invalidInput(`the body must not nest deeper than ${MAX_JSON_DEPTH} levels`);
  return fault && tooManyMembers(members);
}

function tooManyMembers(members: number): InvalidInput {
  return invalidInput(`the body must have at most ${members} members and list items in all`);
}

const FIRST_CAPACITY = 4096;

// Into one buffer, since a body of tiny chunks would cost hundreds of times its length. It holds what has arrived, at
// most twice as much, and not what was announced.
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
