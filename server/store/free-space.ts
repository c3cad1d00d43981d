// Pages of the database file that removed rows have left, and their return to the file system.
import type { Reader, Transaction } from './engine/transaction.ts';

/** In pages. `free` is 0 if the file keeps its free pages, as files of earlier versions do. */
export type FreeSpace = { free: number; total: number };

/** The mode of files that can give pages back, as `PRAGMA auto_vacuum` returns it. */
export const INCREMENTAL = 2;

export async function find(reader: Reader): Promise<FreeSpace> {
  const found = await reader.first<FreeSpace & { mode: number }>({
    libsql: `SELECT f.freelist_count AS free, p.page_count AS total, v.auto_vacuum AS mode
        FROM pragma_freelist_count f, pragma_page_count p, pragma_auto_vacuum v`,
    postgres: 'SELECT 0 AS free, 0 AS total, 0 AS mode', // its autovacuum reuses the space of removed rows
  });
  return { free: found?.mode === INCREMENTAL ? found.free : 0, total: found?.total ?? 0 };
}

/** Few, because for each of them a page from the end of the file moves to its place. */
export const PAGES_AT_ONCE = 16;

/** Cuts this many pages off. The file gets shorter at the next checkpoint. */
export async function giveBack(tx: Transaction): Promise<void> {
  await tx.returning(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`);
}
