// Lists for a network with very many agents, and for a hub with very many networks, tokens and users. Every response is
// a page.
import { describe, expect, test } from 'vitest';
import { LISTED_TEXT, MAX_ALIASES_SEARCHED } from '../../server/domain/limits.ts';
import { listNetworks } from '../../server/operations/networks/list-networks.ts';
import { listAgents } from '../../server/operations/operator/agents/list-agents.ts';
import { listNetworks as listAllNetworks } from '../../server/operations/operator/networks/list-networks.ts';
import { type AnyOperatorOperation, performAsOperator } from '../../server/operations/operator/operator-operation.ts';
import { listTokens as listAllTokens } from '../../server/operations/operator/tokens/list-tokens.ts';
import { listUsers as listAllUsers } from '../../server/operations/operator/users/list-users.ts';
import { completeAlias } from '../../server/operations/sessions/complete-alias.ts';
import { getAllStatus, listSessions } from '../../server/operations/sessions/get-all-status.ts';
import { getSessionStatus } from '../../server/operations/sessions/get-session-status.ts';
import * as sessionsByAlias from '../../server/store/lists/sessions-by-alias.ts';
import { as, type Fixture, openFixture, outcomeOf, report, rowsOf } from '../support/fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

/** Agents from `agent-000000` on. Every tenth is working, and every hundredth is on another server. */
async function fill({ hub, caller }: Fixture, count: number): Promise<void> {
  await hub.store.write(async (tx) => {
    await tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
       INSERT INTO sessions (network_seq, resume_id, alias, status, server, task, output, last_seen_at)
       SELECT ?, 'r' || i, 'agent-' || substr(CAST(1000000 + i AS text), 2), CASE i % 10 WHEN 0 THEN 'working' ELSE 'idle' END, 's' || (i % 100), 'build', 'long', ? FROM n`,
      [count, tx.networkSeq(caller.network_id), hub.clock.now()],
    );
  });
}

type Listed = { agents: { alias: string }[]; next_cursor?: string };

const alias = (index: number): string => `agent-${String(index).padStart(6, '0')}`;

describe('twenty thousand agents', () => {
  const MANY = 20_000;

  test('are listed five hundred at a time, and the summary counts all', async () => {
    const fixture = await openFixture();
    await fill(fixture, MANY);
    const first = await fixture.ask(getAllStatus, {});
    expect(first.sessions.map((session) => session.alias)).toEqual(
      Array.from({ length: 500 }, (_, index) => alias(index)),
    );
    expect(first.summary).toEqual([
      { status: 'idle', count: 18_000 },
      { status: 'working', count: 2_000 },
    ]);
    expect((await fixture.ask(listSessions, { limit: 500 })).sessions).toHaveLength(500);
    expect(await outcomeOf(fixture.ask(listSessions, { limit: 501 }))).toMatch(/^limit|invalid/);
  });

  test('each appear exactly once across all pages', async () => {
    const fixture = await openFixture();
    await fill(fixture, MANY);
    expect(await aliasesOf((cursor) => fixture.ask(listSessions, { cursor }))).toEqual(
      Array.from({ length: MANY }, (_, index) => alias(index)),
    );
  });

  test('are filtered on every page', async () => {
    const fixture = await openFixture();
    await fill(fixture, MANY);
    expect(await aliasesOf((cursor) => fixture.ask(getAllStatus, { filter_status: 'working', cursor }))).toHaveLength(
      2_000,
    );
    expect(await aliasesOf((cursor) => fixture.ask(getAllStatus, { filter_server: 's7', limit: 70, cursor }))).toEqual(
      Array.from({ length: 200 }, (_, index) => alias(index * 100 + 7)),
    );
    expect(
      await aliasesOf((cursor) => fixture.ask(getAllStatus, { filter_status: 'idle', filter_server: 's10', cursor })),
    ).toEqual([]);
  });

  test('are filtered by status and server together in several reads', async () => {
    const fixture = await openFixture();
    await fill(fixture, MANY);
    await fixture.hub.store.write((tx) => tx.run("UPDATE sessions SET server = 's'"));
    let reads = 0;
    const read: typeof fixture.hub.store.read = (...args) => {
      reads += 1;
      return fixture.hub.store.read(...args);
    };
    const counted = as({ ...fixture, hub: { ...fixture.hub, store: { ...fixture.hub.store, read } } }, {});
    const listed = (filter_status: string) =>
      aliasesOf((cursor) => counted.ask(getAllStatus, { filter_status, filter_server: 's', cursor }));
    expect(await listed('offline')).toEqual([]);
    expect(reads).toBeGreaterThan(2); // the summary, and reads of 3 ms each
    expect(await listed('working')).toEqual(Array.from({ length: MANY / 10 }, (_, index) => alias(index * 10)));
  });

  test('of one server are scanned no further than a slice, from any position', async () => {
    const fixture = await openFixture();
    await fill(fixture, 1_000);
    await fixture.hub.store.write((tx) => tx.run("UPDATE sessions SET server = 's'"));
    const networks = [fixture.caller.network_id];
    const scan = (status: 'blocked' | 'working', beyond?: sessionsByAlias.AliasPosition) =>
      fixture.hub.store.read((reader) =>
        sessionsByAlias.listSlice(reader, { status, server: 's' }, { networks, beyond, limit: 5, rows: 40 }),
      );
    const end = (index: number) => ({ alias: alias(index), network_id: fixture.caller.network_id });
    expect(await scan('blocked')).toEqual({ found: [], end: end(39) });
    expect(await scan('working', end(39))).toMatchObject({
      found: [{ alias: alias(40) }, { alias: alias(50) }, { alias: alias(60) }, { alias: alias(70) }],
      end: end(79),
    });
    expect(await scan('blocked', end(960))).toEqual({ found: [], end: undefined });
  });

  test('are completed by prefix, a hundred at a time, however many there are', async () => {
    const fixture = await openFixture();
    await fill(fixture, MAX_ALIASES_SEARCHED + 5_000);
    await report(fixture, 'ZOE');
    expect(await fixture.ask(completeAlias, { beginning: 'AGENT-00000' })).toEqual({
      ok: true,
      aliases: Array.from({ length: 10 }, (_, index) => alias(index)),
      has_more: true,
    });
    expect(await fixture.ask(completeAlias, { beginning: 'agent-00699' })).toMatchObject({
      aliases: expect.arrayContaining([alias(6_990)]),
      has_more: true,
    });
    expect((await fixture.ask(completeAlias, { beginning: alias(6_990) })).aliases).toEqual([alias(6_990)]);
    expect(await fixture.ask(completeAlias, { beginning: 'ZO' })).toMatchObject({ aliases: ['ZOE'] });
    expect((await fixture.ask(completeAlias, { beginning: '' })).aliases).toHaveLength(100);
  });
});

describe('paging agents', () => {
  test('continues in place if the last agent of a page is deleted or renamed', async () => {
    const fixture = await openFixture();
    for (const name of ['a', 'b', 'c', 'd']) await report(fixture, name);
    const first = await fixture.ask(getAllStatus, { limit: 2 });
    await fixture.hub.store.write(async (tx) => void (await tx.run("DELETE FROM sessions WHERE alias = 'b'")));
    const second = await fixture.ask(getAllStatus, { limit: 2, cursor: first.next_cursor });
    expect([second.sessions.map((session) => session.alias), 'next_cursor' in second]).toEqual([['c', 'd'], false]);
  });

  test('merges several networks into one order, the one of the database', async () => {
    const fixture = await openFixture();
    const other = await foundNetwork(fixture.hub);
    const both = as(fixture, {
      memberships: [...fixture.caller.memberships, ...other.memberships],
      token_kind: 'user',
    });
    const aliases = ['a', 'b', '\uffee', '🙂', '小明', 'Ä', 'bb'];
    for (const each of [fixture, as(fixture, other)]) for (const name of aliases) await report(each, name);
    const stored = await rowsOf(
      fixture,
      'SELECT alias, network_id FROM sessions JOIN networks USING (network_seq) ORDER BY alias, network_id',
    );
    for (const limit of [1, 3, 5, 14]) {
      const found: unknown[] = [];
      for (let cursor: string | undefined, turn = 0; turn === 0 || cursor !== undefined; turn++) {
        const page = await both.ask(getAllStatus, { limit, cursor });
        found.push(...page.sessions.map((session) => ({ alias: session.alias, network_id: session.network_id })));
        cursor = page.next_cursor;
      }
      expect(found, `by ${limit}`).toEqual(stored);
    }
    await report(as(fixture, other), 'a', { status: 'working' });
    await report(fixture, 'b', { status: 'offline' });
    expect((await both.ask(getAllStatus, {})).summary).toEqual([
      { status: 'idle', count: 12 },
      { status: 'offline', count: 1 },
      { status: 'working', count: 1 },
    ]);
  });

  test.each([1, 2, 3, 100])('by status and server, %i rows at a time, equals the whole list filtered', async (rows) => {
    const fixture = await openFixture();
    const others = [as(fixture, await foundNetwork(fixture.hub)), as(fixture, await foundNetwork(fixture.hub))];
    for (const [index, each] of [fixture, ...others].entries()) {
      for (const [number, name] of ['a', 'b', '\uffee', '🙂', '小明', 'Ä', 'bb'].entries()) {
        const status = (number + index) % 2 === 0 ? 'idle' : 'working';
        await report(each, name, { status, server: number === 1 ? 'other' : 's' });
        if (index === 0) await report(each, `only ${name}`, { status, server: 's' });
      }
    }
    const stored = await rowsOf(
      fixture,
      `SELECT alias, network_id FROM sessions JOIN networks USING (network_seq)
       WHERE status = 'idle' AND server = 's' ORDER BY alias, network_id`,
    );
    const networks = [fixture, ...others].map(({ caller }) => caller.network_id);
    for (const limit of [1, 3, 100]) {
      const found: unknown[] = [];
      let beyond: sessionsByAlias.AliasPosition | undefined;
      do {
        const page = { networks, beyond, limit, rows };
        const slice = await fixture.hub.store.read((reader) =>
          sessionsByAlias.listSlice(reader, { status: 'idle', server: 's' }, page),
        );
        found.push(...slice.found.map(({ alias, network_id }) => ({ alias, network_id })));
        beyond = slice.found.length === limit ? slice.found.at(-1) : slice.end;
      } while (beyond !== undefined);
      expect(found, `by ${limit}`).toEqual(stored);
    }
  });

  test('truncates long texts, which the record of one agent has in full', async () => {
    const fixture = await openFixture();
    const [short, long] = ['猫'.repeat(LISTED_TEXT), '猫🙂'.repeat(LISTED_TEXT)];
    await report(fixture, 'a', { task: short, server: short });
    await report(fixture, 'b', { task: long, server: long, hostname: 'h' });
    const [one, other] = (await fixture.ask(listSessions, {})).sessions;
    expect([one?.task, one?.server]).toEqual([short, short]);
    const cut = `${[...long].slice(0, LISTED_TEXT - 1).join('')}…`;
    expect([other?.task, other?.server, other?.hostname]).toEqual([cut, cut, 'h']);
    expect((await fixture.ask(getAllStatus, {})).sessions[1]?.task).toBe(cut);
    expect((await fixture.ask(getSessionStatus, { alias: 'b' })).session.task).toBe(long);
  });
});

async function aliasesOf(
  ask: (cursor: string | undefined) => Promise<{ sessions: { alias: string }[]; next_cursor?: string }>,
): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, turn = 0; turn === 0 || cursor !== undefined; turn++) {
    const page = await ask(cursor);
    found.push(...page.sessions.map((session) => session.alias));
    cursor = page.next_cursor;
  }
  return found;
}

describe('lists of a hub', () => {
  test.each<[string, AnyOperatorOperation<{ count: number; next_cursor?: string }>, string]>([
    ['networks', listAllNetworks, 'network_id'],
    ['tokens', listAllTokens, 'token_id'],
    ['users', listAllUsers, 'user_id'],
  ])('%s are paginated for the operator', async (noun, operation, id) => {
    const fixture = await openFixture();
    await fillHub(fixture, 60);
    const ids: unknown[] = [];
    for (let cursor: string | undefined, turn = 0; turn === 0 || cursor !== undefined; turn++) {
      const page: Record<string, unknown> & { count: number; next_cursor?: string } = {
        ...(await performAsOperator(operation, fixture.hub, { cursor })),
      };
      const rows = page[noun] as Record<string, unknown>[];
      expect([page.count, rows.length <= 50]).toEqual([rows.length, true]);
      ids.push(...rows.map((row) => row[id]));
      cursor = page.next_cursor;
    }
    const stored = await rowsOf(fixture, `SELECT ${id} AS id FROM ${noun} ORDER BY ${noun.slice(0, -1)}_seq`);
    expect(ids).toEqual(stored.map((row) => row['id']));
    expect(ids.length).toBeGreaterThan(50);
  });

  test('an operator sees each agent of a network once across all pages', async () => {
    const fixture = await openFixture();
    await fill(fixture, 120);
    const network = fixture.caller.network_id;
    const found: string[] = [];
    for (let cursor: string | undefined, turn = 0; turn === 0 || cursor !== undefined; turn++) {
      const page = await performAsOperator<Listed>(listAgents, fixture.hub, { network, cursor });
      found.push(...page.agents.map((agent) => agent.alias));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(Array.from({ length: 120 }, (_, index) => alias(index)));
    const working = await performAsOperator<Listed>(listAgents, fixture.hub, { network, status: 'working' });
    expect(working.agents).toHaveLength(12);
  });

  test("a user's networks come in the order they joined", async () => {
    const fixture = await openFixture();
    await fillHub(fixture, 60);
    const user = as(fixture, { token_kind: 'user', user_id: 'usr_0' });
    const first = await user.ask(listNetworks, { limit: 40 });
    const second = await user.ask(listNetworks, { limit: 40, cursor: first.next_cursor });
    const names = [...first.networks, ...second.networks].map(({ network_name }) => network_name);
    expect(names).toEqual(Array.from({ length: 60 }, (_, index) => `network ${index}`));
    expect(second).not.toHaveProperty('next_cursor');
  });
});

/** This many users, each with a token, and as many networks of the first user. */
async function fillHub({ hub }: Fixture, count: number): Promise<void> {
  await hub.store.write(async (tx) => {
    const now = tx.now;
    for (let index = 0; index < count; index++) {
      await tx.run(
        "INSERT INTO users (user_id, username, username_key, display_name, role, password_hash, created_at) VALUES (?, ?, ?, '', 'user', '', ?)",
        [`usr_${index}`, `u${index}`, `u${index}`, now],
      );
      await tx.run(
        "INSERT INTO networks (network_id, network_name, owner_id, max_members, created_at) VALUES (?, ?, 'usr_0', 50, ?)",
        [`net_x${index}`, `network ${index}`, now],
      );
      await tx.run(
        "INSERT INTO members (network_id, user_id, role, joined_at) VALUES (?, 'usr_0', 'owner', ?)",
        [`net_x${index}`, now],
        'rights',
      );
      await tx.run(
        "INSERT INTO tokens (token_id, token_hash, user_id, kind, name, created_at) VALUES (?, ?, ?, 'user', 'n', ?)",
        [`tok_${index}`, `hash ${index}`, `usr_${index}`, now],
      );
    }
  });
}
