// `npm test -- …`: checks types and style, rebuilds a stale executable, then runs all tests or those in the arguments.
// The last line is the total, with types, style and build as one check each. Exits with 0 only if nothing failed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { build } from '../build/index.ts';
import { DIST, ROOT } from '../build/step.ts';
import { checkStyle } from './style.ts';

type Count = { passed: number; failed: number; skipped: number };

const REPORT = join(DIST, 'tests.json');
/** One more than the number of processors, because long tests mostly wait. */
const WORKERS = availableParallelism() + 1;

const report = v.object({
  testResults: v.array(v.object({ status: v.string(), assertionResults: v.array(v.object({ status: v.string() })) })),
});

const PASSED: Count = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Count = { passed: 0, failed: 1, skipped: 0 };

const counts = [
  await checkTypes(),
  reported('style', checkStyle()),
  await bringUpToDate(),
  await runTests(process.argv.slice(2)),
];
const total = counts.reduce(sum);
process.stdout.write(`total: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

function sum(one: Count, other: Count): Count {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed, skipped: one.skipped + other.skipped };
}

async function checkTypes(): Promise<Count> {
  return reported('types', (await run('tsc', [])) === 0);
}

/** Deletes a stale executable if the build fails, so that its stories count as skipped. */
async function bringUpToDate(): Promise<Count> {
  try {
    await build();
    return reported('build', true);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    rmSync(join(DIST, 'agenthub'), { force: true });
    return reported('build', false);
  }
}

function reported(check: string, isPassed: boolean): Count {
  process.stdout.write(`${isPassed ? '✓' : '✗ FAILED:'} ${check}\n`);
  return isPassed ? PASSED : FAILED;
}

async function runTests(args: string[]): Promise<Count> {
  mkdirSync(DIST, { recursive: true });
  rmSync(REPORT, { force: true });
  // What failed tests of the last run left behind.
  rmSync(join(DIST, 'failed'), { recursive: true, force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const code = await run('vitest', [
    'run',
    '--config',
    'test/vitest.config.ts',
    `--maxWorkers=${WORKERS}`,
    ...reporters,
    ...args,
  ]);
  const count = existsSync(REPORT) ? countIn(readFileSync(REPORT, 'utf8')) : { passed: 0, failed: 0, skipped: 0 };
  // An error outside of any test fails the run without failing a test.
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

/** Returns the exit code. The output of the tool is printed. */
function run(tool: string, args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/.bin', tool), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}

function countIn(json: string): Count {
  const { testResults: files } = v.parse(report, JSON.parse(json));
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
  // A file that cannot be loaded contains no tests, so it counts as one failure.
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  const [passed, failed] = [count('passed'), count('failed')];
  return { passed, failed: failed + broken.length, skipped: statuses.length - passed - failed };
}
