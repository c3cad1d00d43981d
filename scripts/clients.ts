// `npm run clients`: tests real MCP clients against the built hub, set up by `agenthub connect` alone. A mock replaces
// each client's model, so that everything runs on this machine; only the clients themselves come from the npm registry.
import { parseArgs } from 'node:util';
import { type ClientName, installClients, isClient, PACKAGES } from './clients/install.ts';
import { runOneTurn, TITLES } from './clients/one-turn.ts';
import { CASES, runSession } from './clients/session.ts';

const { values, positionals } = parseArgs({
  options: { trials: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const wanted = wantedClients(positionals);
installClients();
const turns: string[][] = [];
const sessions: string[][] = [];
for (const client of wanted) {
  process.stderr.write(`${PACKAGES[client].title}: one turn\n`);
  turns.push(await runOneTurn(client));
  sessions.push(await runSession(client, Number(values.trials), (line) => process.stderr.write(`${line}\n`)));
}
process.stdout.write('\nWithout a person:\n\n');
print([TITLES, ...turns]);
process.stdout.write('\nIn a terminal, p50 / p95 in ms, until the text of new mail arrives at the model:\n\n');
print([['client', ...CASES.map(({ title }) => title), 'after the token was revoked'], ...sessions]);
if ([...turns, ...sessions].flat().some((cell) => /\bNO\b|\blost\b/.test(cell))) process.exitCode = 1;

/** Those named on the command line, or all. */
function wantedClients(names: readonly string[]): ClientName[] {
  const known = Object.keys(PACKAGES).filter(isClient);
  const unknown = names.find((name) => !isClient(name));
  if (unknown !== undefined) throw new Error(`unknown client ${unknown}; the clients are ${known.join(', ')}`);
  return names.length === 0 ? known : names.filter(isClient);
}

function print(rows: readonly (readonly string[])[]): void {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  for (const row of rows) {
    const cells = row.map((cell, index) => cell.padEnd(widthOf(index)));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}
