// A long export or import says how far it is.
import { expect, test, vi } from 'vitest';
import { withProgress } from '../../../server/cli/data/progress.ts';

async function* rowsOf(count: number): AsyncGenerator<number> {
  for (let row = 0; row < count; row++) yield row;
}

test.each([
  ['every five seconds', 2_500, ['storing: 2000 rows so far', 'storing: 4000 rows so far']],
  ['and not before', 600, []],
] as const)('the number of rows is shown %s', async (_, msPerThousand, expected) => {
  const lines: string[] = [];
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const passed: number[] = [];
  try {
    const elapsed = (): number => Math.floor(passed.length / 1_000) * msPerThousand;
    for await (const row of withProgress(rowsOf(5_000), 'storing', elapsed)) passed.push(row);
  } finally {
    written.mockRestore();
  }
  expect(passed).toHaveLength(5_000);
  expect(lines).toEqual(expected.map((line) => `agenthub: ${line}\n`));
});
