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

export default async function setUp({ config, provide }: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-tests-'));
  provide('shared', directory);
  await unpackBrowser(config.env.TMPDIR);
  const server = await startPostgres();
  provide('postgres', server?.url);
  return async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/**
 * Unpacks the browser where the tests look for it. A file that did so itself would start the browser while it is still
 * being written, and skip its tests. They tell where it cannot be unpacked.
 */
async function unpackBrowser(directory: string | undefined): Promise<void> {
  const before = process.env.TMPDIR;
  if (directory !== undefined) process.env.TMPDIR = directory;
  await chromium.executablePath().catch(() => undefined);
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
}
