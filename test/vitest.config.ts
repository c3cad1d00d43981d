// How vitest runs the tests: from the repository root, each file in a separate process.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// `import sql from './x.sql' with { type: 'text' }`, as Node and esbuild understand it.
const sqlAsText: Plugin = {
  name: 'sql-as-text',
  enforce: 'pre',
  load: (id) => (/\.(sql|txt)$/.test(id) ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined),
};

// Temporary databases are fsynced like real ones; where the system keeps files in memory, that costs no time.
const MEMORY = '/dev/shm';

/**
 * Tests that take longer than ten seconds, the longest first. Started last, they would keep one worker busy while the
 * others are idle.
 */
const LONG = [
  'trust/trust',
  'trust/trust-disk',
  'stories/notifiers',
  'cli/hostile-text',
  'operations/model',
  'console/access',
  'console/access-empty',
  'api/tenancy',
  'api/interface-rules',
  'api/interface-decisions',
  'store/file/upgrade',
  'console/tasks/tasks',
  'console/agents',
  'console/demo',
  'cli/doctor/doctor',
  'console/connect',
  'console/notifiers/notifiers',
  'console/needs-you/needs-you',
  'console/networks',
  'api/bad-input/fuzz',
  'store/file/integrity',
  'cli/client/sign-in',
  'cli/client/manage-tasks',
  'cli/worker/work-ends',
  'cli/data/operator',
  'stories/backup-and-restore',
  'stories/abuse/password-attack',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

function place({ moduleId }: TestSpecification): number {
  const found = LONG.findIndex((name) => moduleId.endsWith(name));
  return found === -1 ? LONG.length : found;
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [sqlAsText],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    maxWorkers: 3, // of two cores: most tests wait for another process
    testTimeout: 300_000, // bounds what hangs; on a busy machine a browser takes long over a page
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    env: existsSync(MEMORY) ? { TMPDIR: MEMORY } : {},
  },
});
