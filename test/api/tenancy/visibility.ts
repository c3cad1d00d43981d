// What the caller of a cell may see, and so what the response must not contain: the canary of every other network, and
// the ids of their objects unless the caller sent them.
import type { Cell } from './cells.ts';
import type { Fixture, Location } from './fixture.ts';
import type { Who } from './patterns.ts';
import type { Row } from './rows.ts';

export type NetworkName = keyof Fixture['canaries'];

const ALL: readonly NetworkName[] = ['home', 'foreign', 'admin', 'member'];

const NETWORKS_OF: Readonly<Partial<Record<Who, readonly NetworkName[]>>> = {
  'admin utok_': ['admin'],
  'owner utok_': ['home'],
  'member utok_': ['home', 'member'],
  'viewer utok_': ['home'],
  'outsider utok_': ['foreign'],
  'owner ntok_': ['home'],
  'member ntok_': ['home'],
  'viewer ntok_': ['home'],
  'outsider ntok_': ['foreign'],
  'admin ntok_': ['admin'],
  'ntok_ in the query': ['home'],
};

/** The networks that the response of this cell may mention. */
export function visibleTo(row: Row, { who, network, object, expected }: Cell): readonly NetworkName[] {
  if (row.isHubWide && who === 'admin utok_') return ALL;
  const own = NETWORKS_OF[who] ?? [];
  if (expected !== 'ok') return own;
  if (row.admits) return [...own, ...ALL.filter((name) => name === object)];
  const named = ALL.filter((name) => name === network);
  return named.length > 0 ? named : own;
}

/** Whether the object of this cell must look nonexistent to the caller. */
export function isOutOfSight(row: Row, cell: Cell): boolean {
  return (
    cell.object === 'missing' ||
    (isNetworkLocation(cell.object) && !visibleTo(row, { ...cell, expected: 'ok' }).includes(cell.object))
  );
}

function isNetworkLocation(location: Location): location is 'home' | 'foreign' {
  return location === 'home' || location === 'foreign';
}

/** Words that must not occur in the response of this cell. */
export function hiddenFrom(fixture: Fixture, row: Row, cell: Cell): string[] {
  const visible = visibleTo(row, cell);
  const canaries = ALL.filter((name) => !visible.includes(name)).map((name) => fixture.canaries[name]);
  const places = (['home', 'foreign'] as const).filter(
    (location) => !visible.includes(location) && cell.object !== location && cell.network !== location,
  );
  return [...canaries, ...places.flatMap((location) => Object.values(fixture.ids[location]))];
}

/** The response without random ids and without the ids in the request. */
export function withoutIds(fixture: Fixture, { object, network }: Cell, raw: string): string {
  const ids = [object, network].flatMap((location) =>
    location === 'self' ? [] : Object.values(fixture.ids[location]),
  );
  const blank = ids.reduce((text, id) => text.replaceAll(id, '<id>'), raw);
  return blank
    .replace(/\b(task|msg|cmp|tok|ivt|net|usr)_[0-9A-Za-z]{16,22}\b/g, '<id>')
    .replace(/word_\d+/g, '<word>')
    .replace(/^date\n.*$/im, '');
}
