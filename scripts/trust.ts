// `npm run trust -- [--quick|--long] [--only NAME] [--seed N] [--binary FILE] [--lanes N]`: tests every promise of
// the hub on the executable, and writes the scoreboard to dist/trust.md and dist/trust.json. Exits with 1 if one is
// broken.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from '../build/index.ts';
import { DIST } from '../build/step.ts';
import { inLanes } from './trust/lanes.ts';
import { type Options, readOptions } from './trust/options.ts';
import type { Row } from './trust/row.ts';
import { ROWS } from './trust/rows.ts';
import { progressLine, scoreboard, scoreboardJson } from './trust/scoreboard.ts';
import { cleanUpAll, isPassed, type Result, runRow } from './trust/trial.ts';

const options = readOptions(
  process.argv.slice(2),
  ROWS.map(({ name }) => name),
);
if (options.binary === join(DIST, 'agenthub')) await build();
if (!existsSync(options.binary)) throw new Error(`${options.binary} is missing`);
process.once('SIGINT', () => void cleanUpAll().finally(() => process.exit(130)));
const startedAt = new Date().toISOString();
process.stdout.write(`trust, ${options.size}, on ${options.binary}; --seed ${options.seed} draws the same again\n`);
const results = await runAll(options);
const run = {
  seed: options.seed,
  size: options.size,
  program: resolve(options.binary),
  startedAt,
  tookMs: performance.now(),
};
const board = scoreboard(results, run);
writeFileSync(join(DIST, 'trust.md'), board);
writeFileSync(join(DIST, 'trust.json'), scoreboardJson(results, run));
process.stdout.write(`\n${board}\n`);
process.exit(results.some((result) => isPassed(result) === false) ? 1 : 0);

async function runAll({ size, seed, binary, lanes }: Options): Promise<Result[]> {
  const command = { file: resolve(binary), args: [] };
  const results = new Map<Row, Result>();
  await inLanes(chosenRows(), lanes, async (row) => {
    const result = await runRow(row, { command, size, seed });
    results.set(row, result);
    process.stdout.write(`${progressLine(result, performance.now())}\n`);
  });
  return ROWS.flatMap((row) => results.get(row) ?? []);
}

function chosenRows(): readonly Row[] {
  return options.only.length === 0 ? ROWS : ROWS.filter(({ name }) => options.only.includes(name));
}
