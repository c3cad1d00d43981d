// What doctor finds about a PostgreSQL database and the hubs on it, from every combination of facts that matters.
import { expect, test } from 'vitest';
import { clusterFindings, type PostgresFacts, postgresFindings } from '../../server/domain/health/postgres.ts';
import { type ServerFacts, serverFindings } from '../../server/domain/health/postgres-servers.ts';

const SCHEMA = 14;

const FACTS: PostgresFacts = {
  version: '18.1',
  database: 'agenthub',
  servers: 'db.example.org',
  user: 'hub',
  isReadOnly: false,
  mayCreate: true,
  encoding: 'UTF8',
  isEncrypted: false,
  isEncryptionChosen: false,
  isLocal: true,
  hasHub: true,
  schema: SCHEMA,
  missing: [],
  forbidden: [],
  mayReadHubs: true,
  isReader: true,
  otherTables: [],
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
  [{ encoding: 'LATIN1' }, 'encoding', 'fail: the database has LATIN1, in which many characters cannot be stored'],
  [{ isLocal: false }, 'encryption', 'warn: the connections to the database are not encrypted'],
  [{ isLocal: false, isEncrypted: true }, 'encryption', undefined],
  [{ isLocal: false, isEncryptionChosen: true }, 'encryption', undefined],
  [{ missing: ['messages', 'tasks'] }, 'tables', 'fail: the database lacks messages, tasks'],
  [{ forbidden: ['tasks'], isReader: false }, 'privileges', 'fail: hub may not read and write tasks'],
  [
    { forbidden: ['a', 'b', 'c', 'd', 'e'], isReader: false },
    'privileges',
    'fail: hub may not read and write a, b, c and 2 others',
  ],
  [
    { forbidden: ['tasks', 'users'] },
    'privileges',
    'fail: hub may only read the tables, and a hub writes them: tasks, users',
  ],
  [{}, 'other tables', undefined],
  [
    { otherTables: ['visitors'] },
    'other tables',
    'warn: the tables of agenthub are in agenthub together with others: visitors',
  ],
  [
    { otherTables: ['visitors'], hasHub: false, schema: null },
    'other tables',
    'fail: the database agenthub belongs to another program: it has visitors, and no table of agenthub',
  ],
  [{ otherTables: ['visitors'], hasHub: false, schema: null }, 'schema', undefined],
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

const SERVER: ServerFacts = {
  server: 'one:5432',
  isStandby: false,
  takesWrites: true,
  system: '7000',
  timeline: 1,
  problem: null,
};
const STANDBY = { ...SERVER, server: 'two:5432', isStandby: true, takesWrites: false };
const PROMOTED = { ...SERVER, server: 'two:5432', timeline: 2 };

test.each<[string, ServerFacts[], string[]]>([
  ['one server', [SERVER], []],
  [
    'a server and its standby',
    [SERVER, STANDBY],
    ['ok: one:5432 (takes writes, timeline 1, system 7000), two:5432 (a standby, timeline 1, system 7000)'],
  ],
  [
    'a server that was replaced and started again',
    [SERVER, PROMOTED],
    [
      'fail: 2 servers take writes, and hubs that cannot reach the newest may use another: one:5432 (takes writes, timeline 1, system 7000), two:5432 (takes writes, timeline 2, system 7000) → stop one:5432 (replaced, older timeline) at once, look there for what hubs have written since, and make it a standby',
    ],
  ],
  [
    'two of the same timeline',
    [SERVER, { ...PROMOTED, timeline: 1 }],
    [
      'fail: 2 servers take writes, and hubs that cannot reach the newest may use another: one:5432 (takes writes, timeline 1, system 7000), two:5432 (takes writes, timeline 1, system 7000) → stop all but one at once, look there for what hubs have written since, and make it a standby',
    ],
  ],
  [
    'two databases',
    [SERVER, { ...PROMOTED, system: '8000' }],
    [
      'fail: 2 servers take writes, and hubs that cannot reach the newest may use another: one:5432 (takes writes, timeline 1, system 7000), two:5432 (takes writes, timeline 2, system 8000); they hold different databases → name one server and its standbys in the URL',
    ],
  ],
  [
    'a standby of another database',
    [SERVER, { ...STANDBY, system: '8000' }],
    [
      'warn: not all servers hold the same database: one:5432 (takes writes, timeline 1, system 7000), two:5432 (a standby, timeline 1, system 8000) → name one server and its standbys in the URL: another cannot take over',
    ],
  ],
  [
    'a standby that is down',
    [SERVER, { ...STANDBY, takesWrites: false, system: null, timeline: null, problem: 'nothing listens there' }],
    [
      'warn: nothing listens there → it cannot take over: start two:5432 if no other server has taken its place; otherwise make it a standby first',
    ],
  ],
])('%s', (_, servers, lines) => {
  expect(
    serverFindings(servers).map(({ level, says, remedy }) => `${level}: ${says}${remedy ? ` → ${remedy}` : ''}`),
  ).toEqual(lines);
});
