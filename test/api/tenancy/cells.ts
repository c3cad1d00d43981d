// Turns the tables of patterns.ts into cells: the caller, the named network, the location of the object, and the
// expected result.

import type { Location } from './fixture.ts';
import { GROUPS, TABLES, WHO, type Who, WORDS } from './patterns.ts';
import type { Row } from './rows.ts';

export type Cell = { who: Who; network: Location; object: Location; expected: string };

/** All cells of a row, one column after the other. At `rest` an error has its status, at `mcp` only its code. */
export function cellsOf(row: Row, transport: 'rest' | 'mcp'): Cell[] {
  const { columns, lines } = readTable(TABLES[row.pattern]);
  return columns.flatMap(({ network, object }, index) =>
    WHO.map((who) => ({ who, network, object, expected: meaning(wordFor(lines, who, index), row, transport) })),
  );
}

type Line = { label: string; words: readonly string[] };
type Table = { columns: { network: Location; object: Location }[]; lines: Line[] };

function readTable(table: string): Table {
  const [head = [], ...lines] = table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/ {2,}/));
  return { columns: head.map(columnOf), lines: lines.map(([label = '', ...words]) => ({ label, words })) };
}

const LOCATIONS: readonly Location[] = ['home', 'foreign', 'missing', 'self', '-'];

function columnOf(title: string): { network: Location; object: Location } {
  const [network, object] = title.split('/').map((name) => LOCATIONS.find((location) => location === name));
  if (network === undefined || object === undefined) throw new Error(`no column can be called ${title}`);
  return { network, object };
}

/** The line of this caller, or else the last line of a group that contains them. */
function wordFor(lines: readonly Line[], who: Who, column: number): string {
  const line = lines.find(({ label }) => label === who) ?? lines.findLast(({ label }) => GROUPS[label]?.(who));
  const word = line?.words[column];
  if (word === undefined) throw new Error(`the table has no entry for ${who} in column ${column + 1}`);
  return word;
}

function meaning(word: string, row: Row, transport: 'rest' | 'mcp'): string {
  if (word === 'absent') return row.absent ?? 'this row does not define `absent`';
  const meant = WORDS[word] ?? word;
  return transport === 'mcp' && !meant.startsWith('401') ? meant.replace(/^\d+ /, '') : meant;
}
