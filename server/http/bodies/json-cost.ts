// Counts how deep and how large JSON is while its bytes arrive, so that none is parsed that costs more than its length
// says. What is no JSON at all is left to the parser.

export type Scan = {
  /** The rule that the bytes so far break, if they break one. */
  add(bytes: Uint8Array): 'depth' | 'members' | undefined;
};

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const OPENING_BRACKET = 0x5b;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;

const SHORT_TEXT = 32;

/** Just before the next quote, or before the first of the backslashes that stand before it. */
function placeBeforeNext(bytes: Uint8Array, from: number): number {
  const quote = bytes.indexOf(QUOTE, from);
  let place = quote === -1 ? bytes.length : quote;
  while (place > from && bytes[place - 1] === BACKSLASH) place--;
  return place - 1;
}

/**
 * Finds the end of a JSON text whose bytes come in pieces. Most of a body is text, so long text is searched and not
 * looked through.
 */
export function openTextEnd(): (bytes: Uint8Array, from: number) => number {
  let isEscaped = false;
  return (bytes, from) => {
    let place = isEscaped ? from + 1 : from;
    let searchFrom = place + SHORT_TEXT;
    isEscaped = false;
    for (; place < bytes.length; place++) {
      const byte = bytes[place];
      if (byte === QUOTE) return place;
      if (byte === BACKSLASH) place++;
      else if (place >= searchFrom) {
        place = placeBeforeNext(bytes, place + 1);
        searchFrom = place + SHORT_TEXT;
      }
    }
    isEscaped = place > bytes.length;
    return -1;
  };
}

/** An empty list or object counts as one that holds something. About 1 ns a byte. */
export function scanJson(max: { depth: number; members: number }): Scan {
  const endOfText = openTextEnd();
  let depth = 0;
  let members = 0;
  let isInText = false;
  return {
    add: (bytes) => {
      for (let place = 0; place < bytes.length; place++) {
        if (isInText) {
          place = endOfText(bytes, place);
          if (place === -1) break;
          isInText = false;
          continue;
        }
        const byte = bytes[place];
        if (byte === QUOTE) isInText = true;
        else if (byte === COMMA) members++;
        else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
          members++;
          if (++depth > max.depth) return 'depth';
        } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
      }
      return members > max.members ? 'members' : undefined;
    },
  };
}
