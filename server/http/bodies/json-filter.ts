// Filters the bytes of a JSON object as they arrive: known members pass, others are dropped and are never buffered or
// parsed. Dropped values are not validated; only their end is found.
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  openTextEnd,
  QUOTE,
} from './json-cost.ts';

/** Returns the bytes to keep. Input that is not an object passes unchanged. */
export type MemberFilter = (bytes: Buffer) => Buffer;

/** All known member names are shorter. */
const MAX_NAME_BYTES = 200;

type State = 'before' | 'between' | 'name' | 'value' | 'after';

/** `onMember` is called for every member of the object, dropped or not. */
export function filterMembers(names: ReadonlySet<string>, onMember = (): void => {}): MemberFilter {
  const endOfText = openTextEnd();
  let state: State = 'before';
  let name = '';
  let isKept = false;
  let isFirst = true;
  let isInText = false;
  let depth = 0;

  /** Collects the bytes of a name; returns the index of its closing quote, or -1 if it continues in the next chunk. */
  const takeName = (bytes: Buffer, from: number): number => {
    const end = endOfText(bytes, from);
    if (name.length <= MAX_NAME_BYTES) name += bytes.toString('latin1', from, end === -1 ? bytes.length : end);
    if (end !== -1) {
      isKept = names.has(named(name));
      onMember();
    }
    return end;
  };
  /** The index after the last byte of the value, or the length of the chunk. */
  const endOfValue = (bytes: Buffer, from: number): number => {
    for (let index = from; index < bytes.length; index++) {
      if (isInText) {
        index = endOfText(bytes, index);
        if (index === -1) return bytes.length;
        isInText = false;
        continue;
      }
      const byte = bytes[index];
      if (byte === QUOTE) isInText = true;
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
      else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        if (depth === 0) return index;
        depth -= 1;
      } else if (byte === COMMA && depth === 0) return index;
    }
    return bytes.length;
  };

  return (bytes) => {
    const left: Buffer[] = [];
    for (let index = 0; index < bytes.length; ) {
      if (state === 'before') {
        const start = bytes.subarray(index).findIndex((byte) => !isBlank(byte));
        if (start === -1) break;
        index += start;
        state = bytes[index] === OPENING_BRACE ? 'between' : 'after';
        if (state === 'between') left.push(bytes.subarray(index, ++index));
      } else if (state === 'between') {
        const byte = bytes[index];
        if (byte === QUOTE) [state, name, index] = ['name', '', index + 1];
        else if (byte === CLOSING_BRACE) state = 'after';
        else if (byte === COMMA || isBlank(byte)) index += 1;
        else state = 'after'; // invalid JSON: left to the parser
      } else if (state === 'name') {
        const end = takeName(bytes, index);
        if (end === -1) break;
        if (isKept) left.push(Buffer.from(`${isFirst ? '' : ','}"${name}"`, 'latin1'));
        if (isKept) isFirst = false;
        [state, index] = ['value', end + 1];
      } else if (state === 'value') {
        const end = endOfValue(bytes, index);
        if (isKept) left.push(bytes.subarray(index, end));
        if (end < bytes.length) state = 'between';
        index = end;
      } else {
        left.push(bytes.subarray(index));
        break;
      }
    }
    return left.length === 1 && left[0] !== undefined ? left[0] : Buffer.concat(left);
  };
}

/** ASCII without escapes. */
const PLAIN = /^[ -[\]-~]*$/;

/** Decodes escapes as the parser does. */
function named(raw: string): string {
  if (PLAIN.test(raw)) return raw; // parsing would take most of the time for an object of short members
  try {
    return String(JSON.parse(`"${Buffer.from(raw, 'latin1').toString()}"`));
  } catch {
    return '';
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
