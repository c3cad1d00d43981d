// What all test files of a run share: a directory (see support/shared.ts), and a PostgreSQL server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../scripts/support/postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    shared: string;
    /** The URL of the server; undefined where there is none for this system. */
    postgres: string | undefined;
  }
}

export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-tests-'));
  provide('shared', directory);
  const server = await startPostgres();
  provide('postgres', server?.url);
  return async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}
