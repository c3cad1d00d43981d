// What all test files of a run share: a directory (see support/shared.ts), a PostgreSQL server, and the browser.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
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
  // Two files that unpack the browser at the same time start it while it is written. Where that fails, they say so.
  const [server] = await Promise.all([startPostgres(), chromium.executablePath().catch(() => undefined)]);
  provide('postgres', server?.url);
  return async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}
