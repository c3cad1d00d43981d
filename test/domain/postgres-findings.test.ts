// What doctor finds about a PostgreSQL database and the hubs on it, from every combination of facts that matters.
import { expect, test } from 'vitest';
import { clusterFindings, type PostgresFacts, postgresFindings } from '../../server/domain/health/postgres.ts';

const SCHEMA = 14;

const FACTS: PostgresFacts = {
  version: '18.1',
  database: 'agenthub',
  servers: 'db.example.org',
  user: 'hub',
  isReadOnly: false,
  mayCreate: true,
  hasHub: true,
  schema: SCHEMA,
  forbidden: [],
  fsync: true,
  synchronousCommit: 'on',
  wantedStandbys: '',
  standbys: [],
};
const SYNCHRONOUS = { name: 'two', state: 'streaming', sync_state: 'sync' };
const ASYNCHRONOUS = { name: 'three', state: 'streaming', sync_state: 'async' };

const lineOf = (facts: Partial<PostgresFacts>, check: string): string | undefined => {
  const found = postgresFindings({ ...FACTS, ...facts }, SCHEMA).find((finding) => finding.check === check);
  return found && `${found.level}: ${found.says}`;
};

test('a good database has no problem', () => {
  expect(postgresFindings(FACTS, SCHEMA).map(({ check, level }) => [check, level])).toEqual([
    ['database', 'ok'],
    ['privileges', 'ok'],
    ['schema', 'ok'],
    ['durability', 'ok'],
    ['replication', 'ok'],
  ]);
});

test.each<[Partial<PostgresFacts>, string, string | undefined]>([
  [{}, 'database', 'ok: PostgreSQL 18.1 at db.example.org, database agenthub, user hub'],
  [
    { isReadOnly: true },
    'database',
    'fail: PostgreSQL 18.1 at db.example.org, database agenthub, user hub: it takes no writes',
  ],
  [{ forbidden: ['tasks'] }, 'privileges', 'fail: hub may not read and write tasks'],
  [{ forbidden: ['a', 'b', 'c', 'd', 'e'] }, 'privileges', 'fail: hub may not read and write a, b, c and 2 others'],
  [{ hasHub: false, schema: null }, 'privileges', 'ok: hub may create the tables'],
  [{ hasHub: false, schema: null }, 'schema', 'warn: the database holds no hub yet'],
  [{ hasHub: false, schema: null, mayCreate: false }, 'privileges', 'fail: hub may not create tables'],
  [{ hasHub: false, schema: null, mayCreate: false }, 'schema', undefined],
  [{ schema: null, forbidden: ['hub'] }, 'schema', undefined],
  [{ schema: SCHEMA + 1 }, 'schema', 'fail: 15, and this agenthub has 14'],
  [{ fsync: false }, 'durability', expect.stringMatching(/^fail: fsync is off/)],
  [{ synchronousCommit: 'off' }, 'durability', expect.stringMatching(/^warn: synchronous_commit is off/)],
  [{}, 'replication', 'ok: no standby is connected: the data is as safe as the disk of the server'],
  [
    { standbys: [ASYNCHRONOUS] },
    'replication',
    'warn: no standby is synchronous: three (async, streaming); if the server is lost, so are the last acknowledged writes',
  ],
  [
    { standbys: [ASYNCHRONOUS, SYNCHRONOUS], wantedStandbys: 'two' },
    'replication',
    'ok: acknowledged writes are on a standby: three (async, streaming), two (sync, streaming)',
  ],
  [
    { standbys: [ASYNCHRONOUS], wantedStandbys: 'two' },
    'replication',
    'fail: writes wait for a synchronous standby (two), and none is connected',
  ],
  [
    { standbys: [{ name: null, state: null, sync_state: null }] },
    'replication',
    'warn: hub may not see the state of the standbys',
  ],
])('%j: %s', (facts, check, line) => {
  expect(lineOf(facts, check)).toEqual(line);
});

const HUB = {
  hub_name: 'one',
  version: '1.0.0',
  seen_at: 0,
  is_alive: true,
  is_leader: true,
  is_draining: false,
  events_behind: 0,
};
const OTHER = { ...HUB, hub_name: 'two', is_leader: false };

test.each([
  [[], ['warn: no hub runs on the database']],
  [[HUB], ['ok: 1 hub runs: one; one runs the sweeps']],
  [[HUB, { ...OTHER, is_draining: true }], ['ok: 2 hubs run: one, two (draining); one runs the sweeps']],
  [[OTHER], ['warn: 1 hub runs: two; none runs the sweeps']],
  [
    [HUB, { ...OTHER, version: '1.1.0' }],
    ['ok: 2 hubs run: one, two; one runs the sweeps', 'warn: the hubs run different versions: 1.0.0, 1.1.0'],
  ],
  [
    [HUB, { ...OTHER, events_behind: 1_001 }],
    ['ok: 2 hubs run: one, two; one runs the sweeps', 'warn: two still has 1001 stored events to send to its streams'],
  ],
  [
    [HUB, { ...OTHER, is_alive: false }],
    [
      'ok: 1 hub runs: one; one runs the sweeps',
      'warn: two was last seen at 1970-01-01 00:00:00 UTC, and did not stop in order',
    ],
  ],
])('the hubs %j', (hubs, lines) => {
  expect(clusterFindings(hubs).map(({ level, says }) => `${level}: ${says}`)).toEqual(lines);
});
