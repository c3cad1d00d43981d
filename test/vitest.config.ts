// How vitest runs the tests: from the top of the repository, each file in a process of its own.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';

// `import sql from './x.sql' with { type: 'text' }`, as Node and esbuild understand it.
const sqlAsText: Plugin = {
  name: 'sql-as-text',
  enforce: 'pre',
  load: (id) => (id.endsWith('.sql') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined),
};

// Temporary databases are fsynced like real ones; where the system keeps files in memory, that costs no time.
const MEMORY = '/dev/shm';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [sqlAsText],
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 3, // of two cores: most tests wait for another process
    testTimeout: 120_000, // bounds what hangs; on a busy machine a browser takes long over a page
    hookTimeout: 120_000,
    env: existsSync(MEMORY) ? { TMPDIR: MEMORY } : {},
  },
});
