// Measures the depth and the number of members of JSON while its bytes arrive, so that no body is parsed that costs
// more than its length suggests. Invalid JSON is left to the parser.

export type Scan = {
  /** Returns the limit that the bytes so far exceed, if any. */
  add(bytes: Uint8Array): 'depth' | 'members' | undefined;
  /** The number of members and list items so far. */
  members(): number;
};

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const OPENING_BRACKET = 0x5b;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;

const SHORT_TEXT = 32;

/** The index before the next quote, or before the backslashes that precede it. */
function indexBeforeNext(bytes: Uint8Array, from: number): number {
  const quote = bytes.indexOf(QUOTE, from);
  let index = quote === -1 ? bytes.length : quote;
  while (index > from && bytes[index - 1] === BACKSLASH) index--;
  return index - 1;
}

/**
 * Finds the end of a JSON string that arrives in chunks. Most of a body is strings, so long ones are searched with
 * `indexOf` instead of byte by byte.
 */
export function openTextEnd(): (bytes: Uint8Array, from: number) => number {
  let isEscaped = false;
  return (bytes, from) => {
    let index = isEscaped ? from + 1 : from;
    let searchFrom = index + SHORT_TEXT;
    isEscaped = false;
    for (; index < bytes.length; index++) {
      const byte = bytes[index];
      if (byte === QUOTE) return index;
      if (byte === BACKSLASH) index++;
      else if (index >= searchFrom) {
        index = indexBeforeNext(bytes, index + 1);
        searchFrom = index + SHORT_TEXT;
      }
    }
    isEscaped = index > bytes.length;
    return -1;
  };
}

/** Counts an empty list or object as one member. Takes about 1 ns per byte. */
export function scanJson(max: { depth: number; members: number }): Scan {
  const endOfText = openTextEnd();
  let depth = 0;
  let members = 0;
  let isInText = false;
  return {
    add: (bytes) => {
      for (let index = 0; index < bytes.length; index++) {
        if (isInText) {
          index = endOfText(bytes, index);
          if (index === -1) break;
          isInText = false;
          continue;
        }
        const byte = bytes[index];
        if (byte === QUOTE) isInText = true;
        else if (byte === COMMA) members++;
        else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
          members++;
          if (++depth > max.depth) return 'depth';
        } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
      }
      return members > max.members ? 'members' : undefined;
    },
    members: () => members,
  };
}
