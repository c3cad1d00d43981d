// `npm run reference` writes the reference tables of README.md from the code; with `--check` it writes nothing and ends
// with 1 when a table is not what the code says.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/step.ts';
import { commandTable, exitCodes } from './reference/commands.ts';
import { configurationTable } from './reference/configuration.ts';
import { endpointTable } from './reference/endpoints.ts';
import { errorTable } from './reference/errors.ts';
import { eventTable } from './reference/events.ts';
import { limitTable } from './reference/limits.ts';
import { metricTable } from './reference/metrics.ts';
import { toolTable } from './reference/tools.ts';

/** By the name in the markers, `<!-- reference:endpoints -->` and `<!-- /reference:endpoints -->`. */
const SECTIONS: Readonly<Record<string, () => string>> = {
  endpoints: endpointTable,
  tools: toolTable,
  events: eventTable,
  errors: errorTable,
  limits: limitTable,
  commands: commandTable,
  'exit-codes': exitCodes,
  metrics: metricTable,
  configuration: configurationTable,
};

const README = join(ROOT, 'README.md');

if (import.meta.main) run(process.argv.includes('--check'));

function run(isCheck: boolean): void {
  const before = existsSync(README) ? readFileSync(README, 'utf8') : emptyReadme();
  const tables = Object.entries(SECTIONS).map(([name, table]) => [name, table()] as const);
  const stale = tables.filter(([name, content]) => filled(before, name, content) !== before);
  if (stale.length === 0) return;
  const names = stale.map(([name]) => name).join(', ');
  if (isCheck) return refuse(`README.md is stale: ${names}; npm run reference writes it`);
  writeFileSync(
    README,
    stale.reduce((text, [name, content]) => filled(text, name, content), before),
  );
  process.stderr.write(`README.md: wrote ${names}\n`);
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/** The text with the section between its markers replaced. */
export function filled(text: string, name: string, content: string): string {
  const [open, close] = markers(name);
  const [head, rest, ...more] = text.split(open);
  const [section, tail, ...others] = rest?.split(close) ?? [];
  if (head === undefined || section === undefined || tail === undefined || more.length + others.length > 0) {
    throw new Error(`README.md must have ${open} and ${close} once each`);
  }
  return `${head}${open}\n${content}\n${close}${tail}`;
}

function markers(name: string): [open: string, close: string] {
  return [`<!-- reference:${name} -->`, `<!-- /reference:${name} -->`];
}

function emptyReadme(): string {
  return Object.keys(SECTIONS)
    .map((name) => `${markers(name).join('\n')}\n`)
    .join('\n');
}
