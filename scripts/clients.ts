// `npm run clients -- [CLIENT…] [--trials N] [--strict]`: tests real MCP clients against the built hub, set up by
// `agenthub connect` alone. A mock replaces each client's model, so that everything runs on this machine; only the
// clients themselves come from the npm registry. Exits with 1 if a promise is broken, such as lost mail; such a cell
// begins with NO. A missed target of time is marked with *, and fails only with --strict, because other load on the
// machine distorts it: compare it with the load average of the row.
import { parseArgs } from 'node:util';
import { build } from '../build/index.ts';
import { type ClientName, installClients, isClient, PACKAGES } from './clients/install.ts';
import { runOneTurn, TITLES } from './clients/one-turn.ts';
import { cellOf, type Outcome } from './clients/outcome.ts';
import { PROOFS_TITLES, runSession, type SessionRows, TIMES_TITLES } from './clients/session.ts';

const { values, positionals } = parseArgs({
  options: { trials: { type: 'string', default: '20' }, strict: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const wanted = wantedClients(positionals);
await build();
installClients();
const turns: string[][] = [];
const sessions: SessionRows[] = [];
for (const client of wanted) {
  process.stderr.write(`${PACKAGES[client].title}: one turn\n`);
  turns.push(await runOneTurn(client));
  sessions.push(await runSession(client, Number(values.trials), (line) => process.stderr.write(`${line}\n`)));
}
print('Without a person', [TITLES, ...turns]);
print(`In a terminal, p50 / p95 in ms of ${values.trials} trials, until the text of new mail arrives at the model`, [
  TIMES_TITLES,
  ...sessions.map(({ times }) => times.map(cellOf)),
]);
print('In a terminal', [PROOFS_TITLES, ...sessions.map(({ proofs }) => proofs.map(cellOf))]);
const outcomes: Outcome[] = sessions.flatMap(({ times, proofs }) => [...times, ...proofs]);
const isBroken = outcomes.some((outcome) => outcome.isBroken) || turns.flat().some((cell) => /\bNO\b/.test(cell));
const isMissed = outcomes.some((outcome) => outcome.isMissed);
if (isMissed) process.stdout.write('\n* misses its target: see scripts/clients/timed-cases.ts and session.ts\n');
if (isBroken || (isMissed && values.strict)) process.exitCode = 1;

/** Those named on the command line, or all. */
function wantedClients(names: readonly string[]): ClientName[] {
  const known = Object.keys(PACKAGES).filter(isClient);
  const unknown = names.find((name) => !isClient(name));
  if (unknown !== undefined) throw new Error(`unknown client ${unknown}; the clients are ${known.join(', ')}`);
  return names.length === 0 ? known : names.filter(isClient);
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widthOf(index))).join('  '));
  process.stdout.write(`\n${title}:\n\n${lines.map((line) => `${line.trimEnd()}\n`).join('')}`);
}
