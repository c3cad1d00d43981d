// `npm run dates -- [--only NAME] [FILE…]`: runs the tests, or those in the given files, on other dates and in other
// time zones, because no test may depend on them. Exits with 1 if one does, and with 3 if libfaketime is not installed.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { build } from '../build/index.ts';
import { DIST, ROOT } from '../build/step.ts';
import { commandLine } from './command-line.ts';
import { aheadBy, faketimeLibrary, NO_FAKETIME } from './faketime.ts';

const NOT_INSTALLED = 3;
const DAY = 86_400;

/** `ahead` is in seconds from now, `from` is a start time. The default zone is UTC. */
type Day = { name: string; ahead: number; zone?: string } | { name: string; from: string; zone: string };

/** In `berlin-spring` and `berlin-autumn`, the clocks change one minute after the tests begin. */
const DAYS: readonly Day[] = [
  { name: 'one-day', ahead: DAY },
  { name: '40-days-kolkata', ahead: 40 * DAY, zone: 'Asia/Kolkata' },
  { name: '13-months-apia', ahead: 396 * DAY, zone: 'Pacific/Apia' },
  { name: '5-years-new-york', ahead: 1_826 * DAY, zone: 'America/New_York' },
  { name: 'berlin-spring', from: '2027-03-28T00:59:00Z', zone: 'Europe/Berlin' },
  { name: 'berlin-autumn', from: '2027-10-31T00:59:00Z', zone: 'Europe/Berlin' },
];

const command = commandLine(
  'dates',
  'Runs the tests, or those in the given files, on other dates and in other time zones. Requires libfaketime.',
)
  .argument('[files...]', 'test files, as for npm test')
  .option('--only <days>', `comma-separated list of: ${DAYS.map(({ name }) => name).join(', ')}`, chosen)
  .allowExcessArguments(true)
  .parse();
const library = faketimeLibrary();
if (library === undefined) {
  process.stderr.write(`${NO_FAKETIME}\n`);
  process.exit(NOT_INSTALLED);
}
await build();
mkdirSync(DIST, { recursive: true });
const { only = DAYS } = command.opts<{ only?: readonly Day[] }>();
let failed = 0;
for (const day of only) failed += (await runOn(day, library)) ? 0 : 1;
process.stdout.write(`${only.length - failed} of ${only.length} dates and time zones passed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function chosen(text: string): readonly Day[] {
  return text.split(',').map((name) => {
    const day = DAYS.find((each) => each.name === name);
    if (day === undefined) throw new InvalidArgumentError(`Unknown name ${name}.`);
    return day;
  });
}

/** Writes the output of vitest to a file, and also prints the failed tests. */
async function runOn(day: Day, lib: string): Promise<boolean> {
  const { name, zone = 'UTC' } = day;
  const ahead = 'from' in day ? Math.floor((Date.parse(day.from) - Date.now()) / 1_000) : day.ahead;
  const report = join(DIST, `dates-${name}.log`);
  const out = openSync(report, 'w');
  const began = performance.now();
  process.stdout.write(`${name.padEnd(18)} from ${new Date(Date.now() + ahead * 1_000).toISOString()}, TZ=${zone} … `);
  const args = [join(ROOT, 'node_modules/.bin/vitest'), 'run', '--config', 'test/vitest.config.ts', ...command.args];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...aheadBy(lib, ahead), TZ: zone, NO_COLOR: '1' },
    stdio: ['ignore', out, out],
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  process.stdout.write(
    `${code === 0 ? 'passed' : `FAILED, see ${report}`} (${Math.round((performance.now() - began) / 1_000)} s)\n`,
  );
  return code === 0;
}
