// Tests rows that are sentences: a statement of the interface or SPECIFICATION.md, and the code that checks it.
import { describe, test } from 'vitest';
import type { Fixture, TestNetwork } from './fixture.ts';

/** `says` is the line of the document, verbatim or shortened. */
export type Row = readonly [statement: string, run: (network: TestNetwork) => Promise<void>];

export function rowTests(fixture: () => Fixture, tables: Readonly<Record<string, readonly Row[]>>): void {
  for (const [title, rows] of Object.entries(tables)) {
    describe(title, () => test.each(rows)('%s', async (_, run) => run(await fixture().newNetwork())));
  }
}
