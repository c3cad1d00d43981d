// Creates data directories from the database fixtures of old schemas.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../support/process/running-hub.ts';
import { SCHEMA_FIXTURES, unpack } from '../../support/store/schema-fixtures.ts';

export const [FIRST] = SCHEMA_FIXTURES;
const NEWEST = SCHEMA_FIXTURES.at(-1);

export function dataOf(fixture = NEWEST): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  if (fixture !== undefined) unpack(fixture, join(data, 'agenthub.db'));
  return data;
}

/** Returns the bytes with 40 zero bytes where this text begins. */
export function changed(bytes: Uint8Array, text: string): Uint8Array {
  const copy = Buffer.from(bytes);
  copy.fill(0, copy.indexOf(text), copy.indexOf(text) + 40);
  return copy;
}
