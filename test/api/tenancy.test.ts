// The tenancy matrix: every route, every tool and both streams × every kind of caller × objects in the caller's
// network, in a foreign network, or nowhere. tenancy/patterns.ts has the expected result of each cell, and
// tenancy/rows.ts the pattern of each row.
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../server/domain/time/time.ts';
import { ROUTES } from '../../server/http/routes.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { expire } from '../../server/sweeps/sweeps.ts';
import { dump } from '../support/fixture.ts';
import { type Cell, cellsOf } from './tenancy/cells.ts';
import { type Fixture, openFixture } from './tenancy/fixture.ts';
import { METHOD_ROWS, type MethodRow } from './tenancy/method-rows.ts';
import { askMethod, askRoute, askTool, type Result } from './tenancy/requests.ts';
import { MORE_ROUTE_ROWS, MORE_TOOL_ROWS, ROUTE_ROWS, type Row, STREAM_ROWS, TOOL_ROWS } from './tenancy/rows.ts';
import { type Dump, recordsIn, rewind, versionOf } from './tenancy/snapshot.ts';
import { askStream, readUntil, subscribing } from './tenancy/stream.ts';
import { ask } from './tenancy/users.ts';
import { hiddenFrom, isOutOfSight, visibleTo, withoutIds } from './tenancy/visibility.ts';

type Case = { title: string; row: Row; cells: readonly Cell[]; ask(fixture: Fixture, cell: Cell): Promise<Result> };
type Tried = { cell: Cell; response: Result };

test('every route and every tool has its row', () => {
  expect(Object.keys(ROUTE_ROWS)).toEqual(ROUTES.map(([method, path]) => `${method} ${path}`));
  expect(Object.keys(TOOL_ROWS)).toEqual(TOOLS.map(({ operation }) => operation.name));
});

describe('routes', () => {
  const rows = [...Object.entries(ROUTE_ROWS).map(([route, row]) => [route, '', row] as const), ...MORE_ROUTE_ROWS];
  test.each(byPattern(rows.map(([route, more, row]) => routeCase(route, more, row))))('%s', (_, cases) =>
    tryCases(cases),
  );
});

describe('tools', () => {
  const rows = [...Object.entries(TOOL_ROWS).map(([tool, row]) => [tool, '', row] as const), ...MORE_TOOL_ROWS];
  test.each(byPattern(rows.map(([tool, more, row]) => toolCase(tool, more, row))))('%s', (_, cases) => tryCases(cases));
});

describe('other methods', () => {
  test.each(byPattern(METHOD_ROWS.map(([method, more, row]) => methodCase(method, more, row))))('%s', (_, cases) =>
    tryCases(cases),
  );
});

describe('streams', () => {
  test.each(Object.entries(STREAM_ROWS))('%s', async (title, row) => tryStream(title, row));
});

function routeCase(route: string, more: string, row: Row): Case {
  return {
    title: `${route} ${more}`,
    row,
    cells: cellsOf(row, 'rest'),
    ask: (fixture, cell) => askRoute(fixture, route, row, cell),
  };
}

function toolCase(tool: string, more: string, row: Row): Case {
  return {
    title: `${tool} ${more}`,
    row,
    cells: cellsOf(row, 'mcp'),
    ask: (fixture, cell) => askTool(fixture, tool, row, cell),
  };
}

function methodCase(method: string, more: string, row: MethodRow): Case {
  return {
    title: `${method} ${more}`,
    row,
    cells: cellsOf(row, 'mcp'),
    ask: (fixture, cell) => askMethod(fixture, method, row, cell),
  };
}

test('a subscription receives only changes of its network', async () => {
  const {
    hub,
    url,
    users: { member, owner, outsider },
  } = await openFixture();
  const uris = ['hub://inbox/worker-f', 'hub://inbox/worker-h'];
  const response = await fetch(`${url}/mcp`, subscribing(member.ntok, uris));
  await ask(hub, outsider.ntok, sendMessage, { alias: 'worker-f', message: 'not for you' });
  await ask(hub, owner.ntok, sendMessage, { alias: 'worker-h', message: 'for you' });
  const received = await readUntil(response, /"method":"notifications\/resources\/updated".*worker-h/);
  expect(received).not.toMatch(/"method":"notifications\/resources\/updated".*worker-f/);
});

/** Cases of one pattern share a fixture, because creating one takes longer than a request. */
function byPattern(cases: readonly Case[]): [string, Case[]][] {
  const groups = Object.groupBy(
    cases,
    ({ row }) => row.pattern + (row.afterOffline ? ', with all agents offline' : ''),
  );
  return Object.entries(groups).map(([pattern, found = []]) => [pattern, found]);
}

/**
 * Every cell sees the same data: changes of allowed writes are rolled back, and changes of rejected ones are a
 * failure.
 */
async function tryCases(cases: readonly Case[]): Promise<void> {
  const fixture = await openFixture();
  if (cases.some(({ row }) => row.afterOffline)) await markAgentsOffline(fixture);
  const before = await dump(fixture);
  for (const { title, row, cells, ask: askCell } of cases) {
    const tried: Tried[] = [];
    for (const cell of cells) {
      const version = await versionOf(fixture.hub);
      const response = await askCell(fixture, cell);
      if (row.writesLate) await fixture.hub.store.write(async () => {}); // sorts after all earlier writes
      expectResponse(fixture, row, { cell, response }, title);
      await expectTraces(fixture, row, cell, title, { before, isChanged: (await versionOf(fixture.hub)) !== version });
      tried.push({ cell, response });
    }
    expectAllHiddenAlike(fixture, row, tried, title);
  }
}

/** A read marks silent agents as offline, so that no cell does. */
async function markAgentsOffline({ hub }: Fixture): Promise<void> {
  hub.clock.advance(11 * MINUTE_MS);
  await expire(hub);
}

function expectResponse(fixture: Fixture, row: Row, { cell, response }: Tried, title: string): void {
  const cellTitle = `${title}, ${titleOf(cell)}`;
  expect.soft(response.outcome, cellTitle).toBe(cell.expected);
  const leaked = hiddenFrom(fixture, row, cell).filter((word) => response.raw.includes(word));
  expect.soft(leaked, `${cellTitle} got data it must not see:\n${response.raw}`).toEqual([]);
  const logged = fixture.logged
    .splice(0)
    .filter((line) => Object.values(fixture.canaries).some((canary) => line.includes(canary)));
  expect.soft(logged, `${cellTitle} made the hub log what a network wrote`).toEqual([]);
  if (!row.shows || cell.expected !== 'ok' || !isAboutTexts(row, cell)) return;
  expect
    .soft(
      visibleTo(row, cell).some((name) => response.raw.includes(fixture.canaries[name])),
      `${cellTitle} saw nothing`,
    )
    .toBe(true);
}

/** These responses contain a canary, which proves that a leak would be detected. */
function isAboutTexts(row: Row, cell: Cell): boolean {
  return cell.object === '-' ? cell.network !== 'missing' : !isOutOfSight(row, cell);
}

type Change = { before: Dump; isChanged: boolean };

async function expectTraces(
  fixture: Fixture,
  row: Row,
  cell: Cell,
  title: string,
  { before, isChanged }: Change,
): Promise<void> {
  const cellTitle = `${title}, ${titleOf(cell)}`;
  const isAllowed = cell.expected === 'ok';
  const doesChange = row.writes === true || row.writesLate === true;
  const mayChange = isAllowed && (doesChange || (row.marks && !cell.who.startsWith('viewer')));
  if (isAllowed && doesChange) expect.soft(isChanged, `${cellTitle} was allowed and wrote nothing`).toBe(true);
  if (isChanged && !mayChange)
    expect.soft(changes(before, await dump(fixture)), `${cellTitle} changed the database`).toEqual([]);
  if (isChanged) await rewind(fixture.hub, before);
}

/** The tables that changed. */
function changes(before: Dump, after: Dump): string[] {
  return recordsIn(before).filter((table) => JSON.stringify(before[table]) !== JSON.stringify(after[table]));
}

/** Apart from ids, an object in a foreign network gets the same response, byte for byte, as one that does not exist. */
function expectAllHiddenAlike(fixture: Fixture, row: Row, tried: readonly Tried[], title: string): void {
  const unseen = tried.filter(({ cell }) => isOutOfSight(row, cell));
  for (const { cell, response } of unseen) {
    const nowhere = unseen.find(
      (other) => other.cell.who === cell.who && other.cell.network === cell.network && other.cell.object === 'missing',
    );
    if (nowhere === undefined) continue;
    expect
      .soft(withoutIds(fixture, cell, response.raw), `${title}, ${titleOf(cell)} differs from a missing object`)
      .toBe(withoutIds(fixture, nowhere.cell, nowhere.response.raw));
  }
}

async function tryStream(title: string, row: Row): Promise<void> {
  const fixture = await openFixture();
  const before = await dump(fixture);
  for (const cell of cellsOf(row, 'rest')) {
    const version = await versionOf(fixture.hub);
    const atStart = async (): Promise<void> => {
      if (cell.who.startsWith('viewer'))
        expect.soft(await versionOf(fixture.hub), `${titleOf(cell)} wrote a heartbeat`).toBe(version);
    };
    const response = await askStream(fixture, title, row, cell, atStart);
    if (cell.expected !== 'ok')
      expect.soft(await versionOf(fixture.hub), `${titleOf(cell)} changed the database`).toBe(version);
    expectResponse(fixture, row, { cell, response }, title);
    await rewind(fixture.hub, before);
  }
}

function titleOf({ who, network, object }: Cell): string {
  return `${who} asking ${network}/${object}`;
}
