// A directory for what all test files of a run share (see support/shared.ts), deleted at its end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    shared: string;
  }
}

export default function setUp({ provide }: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-tests-'));
  provide('shared', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
