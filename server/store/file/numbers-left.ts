// A database that is restored or imported must leave numbers for what comes: past the last one, the hub would not
// start.
import { StartError } from '../../domain/errors.ts';
import { MAX_SEQUENCE } from '../../domain/files/stored-values.ts';
import { onFile } from './open.ts';

/** Half of all numbers: the other half lasts for centuries. */
const MOST = MAX_SEQUENCE / 2;

/** Throws StartError, with the name of the source. The file is intact. */
export function assertNumbersLeft(file: string, source = file): Promise<void> {
  return onFile(file, async (client) => {
    const { rows } = await client.execute('SELECT name, seq FROM sqlite_sequence');
    for (const { name, seq } of rows) {
      const found = await client.execute(`SELECT max(rowid) AS last FROM ${String(name)}`);
      const last = Math.max(Number(seq), Number(found.rows[0]?.['last'] ?? 0));
      if (last > MOST)
        throw new StartError(
          `${source}: the last number of ${String(name)} is ${last}, and at most ${MOST} leaves enough for later ones`,
        );
    }
  });
}
