// Lets the known members of a JSON object through while its bytes arrive, and drops the others: what nobody reads is neither held nor
// parsed. What stands in a dropped value is not looked at, beyond where it ends.
import { CLOSING_BRACE, CLOSING_BRACKET, COMMA, OPENING_BRACE, OPENING_BRACKET, openTextEnd, QUOTE } from './json-scan.ts';

/** What is left of the bytes. Of anything but an object that is all. */
export type Sieve = (bytes: Buffer) => Buffer;

/** A longer name is none of ours. */
const MAX_NAME_BYTES = 200;

type State = 'before' | 'between' | 'name' | 'value' | 'after';

export function sieveMembers(names: ReadonlySet<string>): Sieve {
  const endOfText = openTextEnd();
  let state: State = 'before';
  let name = '';
  let isKept = false;
  let isFirst = true;
  let isInText = false;
  let depth = 0;

  /** Takes the bytes of a name up to its end; returns the place of the closing quote, or -1. */
  const takeName = (bytes: Buffer, from: number): number => {
    const end = endOfText(bytes, from);
    if (name.length <= MAX_NAME_BYTES) name += bytes.toString('latin1', from, end === -1 ? bytes.length : end);
    if (end !== -1) isKept = names.has(named(name));
    return end;
  };
  /** The place behind the last byte of the value, or the end of the bytes. */
  const endOfValue = (bytes: Buffer, from: number): number => {
    for (let place = from; place < bytes.length; place++) {
      if (isInText) {
        place = endOfText(bytes, place);
        if (place === -1) return bytes.length;
        isInText = false;
        continue;
      }
      const byte = bytes[place];
      if (byte === QUOTE) isInText = true;
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
      else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        if (depth === 0) return place;
        depth -= 1;
      } else if (byte === COMMA && depth === 0) return place;
    }
    return bytes.length;
  };

  return (bytes) => {
    const left: Buffer[] = [];
    for (let place = 0; place < bytes.length; ) {
      if (state === 'before') {
        const start = bytes.subarray(place).findIndex((byte) => !isBlank(byte));
        if (start === -1) break;
        place += start;
        state = bytes[place] === OPENING_BRACE ? 'between' : 'after';
        if (state === 'between') left.push(bytes.subarray(place, ++place));
      } else if (state === 'between') {
        const byte = bytes[place];
        if (byte === QUOTE) [state, name, place] = ['name', '', place + 1];
        else if (byte === CLOSING_BRACE) state = 'after';
        else if (byte === COMMA || isBlank(byte)) place += 1;
        else state = 'after'; // no JSON: the parser shall see it
      } else if (state === 'name') {
        const end = takeName(bytes, place);
        if (end === -1) break;
        if (isKept) left.push(Buffer.from(`${isFirst ? '' : ','}"${name}"`, 'latin1'));
        if (isKept) isFirst = false;
        [state, place] = ['value', end + 1];
      } else if (state === 'value') {
        const end = endOfValue(bytes, place);
        if (isKept) left.push(bytes.subarray(place, end));
        if (end < bytes.length) state = 'between';
        place = end;
      } else {
        left.push(bytes.subarray(place));
        break;
      }
    }
    return left.length === 1 && left[0] !== undefined ? left[0] : Buffer.concat(left);
  };
}

/** Escapes are read as the parser reads them. */
function named(raw: string): string {
  try {
    return String(JSON.parse(`"${Buffer.from(raw, 'latin1').toString()}"`));
  } catch {
    return '';
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
