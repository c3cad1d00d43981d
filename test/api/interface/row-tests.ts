// Tests rows that are sentences: a statement of the interface or SPECIFICATION.md, and the code that checks it.
import { describe, test } from 'vitest';
import type { Fixture, Place } from './fixture.ts';

/** `says` is the line of the document, verbatim or shortened. */
export type Row = readonly [says: string, run: (place: Place) => Promise<void>];

export function rowTests(fixture: () => Fixture, tables: Readonly<Record<string, readonly Row[]>>): void {
  for (const [title, rows] of Object.entries(tables)) {
    describe(title, () => test.each(rows)('%s', async (_, run) => run(await fixture().newPlace())));
  }
}
