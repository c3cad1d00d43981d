// `npm run reference` writes the tables of README.md, server/REFERENCE.md and server/OPERATING.md from the code. With
// `--check` it writes nothing and exits with 1 if a table is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/step.ts';
import { configurationsTable, hooksTable } from './reference/clients.ts';
import { commandTable, exitCodes } from './reference/commands.ts';
import { endpointTable } from './reference/endpoints.ts';
import { errorTable } from './reference/errors.ts';
import { eventTable } from './reference/events.ts';
import { limitTable } from './reference/limits.ts';
import { configurationTable, metricTable, toolTable } from './reference/tables.ts';

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
  'client-configurations': configurationsTable,
  'client-hooks': hooksTable,
};

const DOCUMENTS = ['README.md', 'server/REFERENCE.md', 'server/OPERATING.md'];

if (import.meta.main) run(process.argv.includes('--check'));

function run(isCheck: boolean): void {
  const stale = Object.entries(SECTIONS).filter(([name, table]) => {
    const file = join(ROOT, documentOf(name));
    const before = readFileSync(file, 'utf8');
    const after = filled(before, name, table());
    if (after !== before && !isCheck) writeFileSync(file, after);
    return after !== before;
  });
  const names = stale.map(([name]) => name).join(', ');
  if (names === '') return;
  if (isCheck) return refuse(`stale: ${names}; npm run reference writes them`);
  process.stderr.write(`wrote ${names}\n`);
}

/** The document that has the markers of a section. */
function documentOf(name: string): string {
  const [open] = markers(name);
  const document = DOCUMENTS.find((file) => readFileSync(join(ROOT, file), 'utf8').includes(open));
  if (document === undefined) throw new Error(`no document has ${open}`);
  return document;
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
    throw new Error(`a document must have ${open} and ${close} once each`);
  }
  return `${head}${open}\n${content}\n${close}${tail}`;
}

function markers(name: string): [open: string, close: string] {
  return [`<!-- reference:${name} -->`, `<!-- /reference:${name} -->`];
}
