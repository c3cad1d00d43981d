// `npm run dates -- [--only NAME] [FILE…]`: runs the tests, or those that the files name, on other days and in other
// time zones: no test may depend on when or where it runs. Exits with 1 when one does, and with 3 where libfaketime is
// not installed.
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

/** So many seconds ahead of now, or from a moment on; the zone is UTC unless named. */
type Day = { name: string; ahead: number; zone?: string } | { name: string; from: string; zone: string };

/** A change of the clocks comes while the tests run: a minute after they began. */
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
  'Run the tests, or those that the files name, on other days and in other time zones, which takes libfaketime.',
)
  .argument('[files...]', 'what to run, as for npm test')
  .option('--only <days>', `these, with commas between: ${DAYS.map(({ name }) => name).join(', ')}`, chosen)
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
process.stdout.write(`${only.length - failed} of ${only.length} days and places passed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function chosen(text: string): readonly Day[] {
  return text.split(',').map((name) => {
    const day = DAYS.find((each) => each.name === name);
    if (day === undefined) throw new InvalidArgumentError(`There is no ${name}.`);
    return day;
  });
}

/** What vitest prints goes to a file; the failed tests are shown here too. */
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
