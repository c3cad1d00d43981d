// Remembers in the data directory that the hub has its data in a PostgreSQL database. Without its URL, the hub would
// start with an empty database file, or with one from before it was moved, and its agents would find nothing.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { ON_POSTGRES } from '../domain/files/data-files.ts';
import { shownParts } from '../domain/postgres-url.ts';
import { oneLine } from '../domain/text/terminal-text.ts';
import { giveToOwnerOf } from '../store/file/on-disk.ts';

/** Call it once the hub has opened the database. */
export function rememberPostgres(data: string, url: string): void {
  const { servers, database } = shownParts(url);
  const place = `${database} on ${servers}\n`;
  const file = join(data, ON_POSTGRES);
  if (contentOf(file) === place) return;
  try {
    writeFileSync(file, place, { mode: 0o600 });
    giveToOwnerOf(data, file);
  } catch {
    // a full disk does not keep a hub from starting whose data are elsewhere
  }
}

export function forgetPostgres(data: string): void {
  rmSync(join(data, ON_POSTGRES), { force: true });
}

export function isRememberedOnPostgres(data: string): boolean {
  return contentOf(join(data, ON_POSTGRES)) !== undefined;
}

export function assertNotOnPostgres(data: string): void {
  const problem = missingUrl(data);
  if (problem !== undefined) throw new StartError(problem.says, problem.remedy);
}

/** For a hub without a URL: undefined unless the last one that was started on this directory had one. */
export function missingUrl(data: string): { says: string; remedy: string } | undefined {
  const place = contentOf(join(data, ON_POSTGRES));
  if (place === undefined) return undefined;
  return {
    says: `the hub on ${data} has its data in the PostgreSQL database ${oneLine(place.trim())}, whose URL is not set`,
    remedy: `set database or AGENTHUB_DATABASE; to use a database file instead, delete ${join(data, ON_POSTGRES)} first`,
  };
}

function contentOf(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
