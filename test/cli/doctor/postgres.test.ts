// doctor and healthcheck on a PostgreSQL database: its server, the privileges of the user, and the hubs on it.
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { startPostgres, startPostgresPair } from '../../../scripts/support/postgres-server.ts';
import type { Finding } from '../../../server/domain/health/finding.ts';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';
import { objectIn } from '../../support/json.ts';
import { type Environment, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { type RunningHub, startHub, temporaryDirectory } from '../../support/process/running-hub.ts';
import { createEmptyPostgres, createPostgres, SERVER } from '../../support/store/postgres.ts';

const CHECKS = [
  ...['database', 'privileges', 'schema', 'other tables', 'durability', 'replication', 'servers', 'cluster'],
  ...['backups', 'integrity'],
];

async function findingsFor(env: Environment): Promise<Finding[]> {
  const directory = { AGENTHUB_DATA: join(temporaryDirectory(), 'data') };
  const { stdout } = await run(newCli(ANY_TARGET, { ...directory, ...env }), ['doctor', '-o', 'json']);
  const { checks }: { checks: Finding[] } = JSON.parse(stdout);
  return checks.filter(({ check }) => CHECKS.includes(check));
}

/** By check: level and words of the findings about the database. */
async function examine(env: Environment): Promise<Record<string, string>> {
  return Object.fromEntries((await findingsFor(env)).map(({ check, level, says }) => [check, `${level}: ${says}`]));
}

/** The problems among them, with their remedies. */
async function problemsOn(url: string): Promise<string[]> {
  const findings = await findingsFor({ AGENTHUB_DATABASE: url });
  return findings.flatMap(({ check, level, says, remedy }) =>
    level === 'fail' && check !== 'durability' ? [`${check}: ${says} → ${remedy}`] : [],
  );
}

async function ask(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client(url);
  await client.connect();
  for (const sql of statements) await client.query(sql);
  await client.end();
}

async function rowsOf(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** The URL of the same database for a new user. */
async function asUser(url: string, name: string, ...grants: readonly string[]): Promise<string> {
  await ask(url, `DROP ROLE IF EXISTS ${name}`, `CREATE ROLE ${name} LOGIN`, ...grants);
  const other = new URL(url);
  other.username = name;
  return other.href;
}

const nameOf = ({ url }: RunningHub): string => `${hostname()}:${new URL(url).port}`;

describe.skipIf(SERVER === undefined)('on PostgreSQL', () => {
  test('doctor says what runs there, through the database and through a hub; so does healthcheck', async () => {
    const url = await createPostgres();
    const one = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: url } });
    await expect
      .poll(() => examine({ AGENTHUB_DATABASE: url }), { timeout: 10_000 })
      .toMatchObject({ cluster: expect.stringContaining(`${nameOf(one)} runs the sweeps`) });
    const both = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: url } });
    const cluster = `ok: 2 hubs run: ${nameOf(one)}, ${nameOf(both)}; ${nameOf(one)} runs the sweeps`;
    for (const env of [{ AGENTHUB_DATABASE: url }, { AGENTHUB_DATA: both.data }]) {
      await expect.poll(() => examine(env)).toMatchObject({ cluster });
      expect(await examine(env)).toEqual({
        database: expect.stringMatching(/^ok: PostgreSQL \d+\.\d+ at 127.0.0.1:\d+, database test_\w+, user postgres$/),
        privileges: 'ok: postgres may read and write all tables',
        schema: expect.stringMatching(/^ok: \d+, current$/),
        durability: expect.stringMatching(/^fail: fsync is off/), // as the server of the tests runs
        replication: 'ok: no standby is connected: the data is as safe as the disk of the server',
        cluster,
      });
    }
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: both.data });
    expect(await outputOf(cli, ['healthcheck'])).toContain(
      `cluster  2 hubs run on the database; ${nameOf(one)} runs the sweeps`,
    );
    expect(objectIn(await outputOf(cli, ['healthcheck', '-o', 'json']))).toMatchObject({
      cluster: { hubs: 2, leader: nameOf(one) },
    });
  });

  test('the log of a hub and doctor name the settings in which another hub differs', async () => {
    const env = { AGENTHUB_DATABASE: await createPostgres() };
    const hub = await startHub({ target: ANY_TARGET, env });
    const other = await startHub({ target: ANY_TARGET, env, args: ['--trial-days', '14', '--registration', 'closed'] });
    const says = `the hub ${nameOf(other)} has registration closed where this one has open, trial_days 14 where this one has 0`;
    await expect.poll(hub.output).toContain(says);
    const { stdout } = await run(newCli(ANY_TARGET), ['doctor', '--data', hub.data, '-o', 'json']);
    const { checks }: { checks: Finding[] } = JSON.parse(stdout);
    const remedy = 'requests reach any of the hubs, so give all of them the same settings';
    expect(checks.filter(({ check }) => check === 'settings')).toEqual([
      { check: 'settings', level: 'warn', says, remedy },
    ]);
  });

  test('doctor recognizes the hub if the public address leads to another one on its database', async () => {
    const env = { AGENTHUB_DATABASE: await createPostgres() };
    const other = await startHub({ target: ANY_TARGET, env });
    const hub = await startHub({ target: ANY_TARGET, env, args: ['--public-url', other.url] });
    const { stdout } = await run(newCli(ANY_TARGET), ['doctor', '--data', hub.data, '-o', 'json']);
    const { checks }: { checks: Finding[] } = JSON.parse(stdout);
    expect(checks.filter(({ check }) => check === 'public url')).toMatchObject([{ level: 'ok' }]);
  });

  test('a hub that may not write is not started, and says why in one line', async () => {
    const url = await createPostgres();
    await ask(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    const ended = await run(newCli(ANY_TARGET), ['serve', '--port', '0', '--database', url]);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/cannot use the database test_\w+ at .* is read-only; name the server that takes writes/),
    ]);
  });

  test('a hub whose user may not write one of the tables is not started, and names it in one line', async () => {
    const url = await createPostgres();
    const name = 'agenthub_test_limited';
    const limited = await asUser(url, name, `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${name}`);
    await ask(url, `REVOKE UPDATE ON tasks FROM ${name}`);
    const ended = await run(newCli(ANY_TARGET), ['serve', '--port', '0', '--database', limited]);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr.trim().split('\n')).toEqual([
      expect.stringContaining(`the user ${name} may not read and write tasks of the database; use the user who owns`),
    ]);
    await ask(url, `DROP OWNED BY ${name}`, `DROP ROLE ${name}`);
  });

  test('doctor names missing privileges, a server that takes no writes, and one that cannot be reached', async () => {
    const url = await createPostgres();
    const reader = await asUser(url, 'agenthub_test_reader', 'GRANT SELECT ON hub TO agenthub_test_reader');
    expect(await examine({ AGENTHUB_DATABASE: reader })).toMatchObject({
      database: expect.stringMatching(/^ok/),
      privileges: expect.stringMatching(
        /^fail: agenthub_test_reader may not read and write \w+, \w+, \w+ and \d+ others$/,
      ),
      schema: expect.stringMatching(/^ok/),
    });
    await ask(reader, 'ALTER ROLE agenthub_test_reader SET default_transaction_read_only = on');
    expect(await examine({ AGENTHUB_DATABASE: reader })).toMatchObject({
      database: expect.stringMatching(/^fail: .*: it takes no writes$/),
    });
    await ask(url, 'DROP OWNED BY agenthub_test_reader', 'DROP ROLE agenthub_test_reader');
    expect(await examine({ AGENTHUB_DATABASE: `postgres://hub@127.0.0.1:${await freePort()}/hub` })).toEqual({
      database: expect.stringMatching(/^fail: cannot use the database hub at 127.0.0.1:\d+: nothing listens there/),
    });
  });

  test('doctor says that a user may only read, and still lists the hubs', async () => {
    const url = await createPostgres();
    const hub = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: url } });
    const name = 'agenthub_test_selecter';
    const reader = await asUser(url, name, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}`);
    expect(await problemsOn(reader)).toEqual([
      `privileges: ${name} may only read the tables, and a hub writes them: audit_log, broadcasts, commits and 27 others → use the user who owns the tables, or GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "${name}"`,
    ]);
    expect(await examine({ AGENTHUB_DATABASE: reader })).toMatchObject({
      cluster: expect.stringContaining(`1 hub runs: ${nameOf(hub)}`),
    });
    await ask(url, `REVOKE SELECT ON hubs FROM ${name}`);
    expect(await examine({ AGENTHUB_DATABASE: reader })).not.toHaveProperty('cluster');
    await hub.stop();
    await ask(url, `DROP OWNED BY ${name}`, `DROP ROLE ${name}`);
  });

  test('doctor names the tables of another program, as the start of a hub does', async () => {
    const url = await createEmptyPostgres();
    await ask(url, 'CREATE TABLE visitors (name text)', 'CREATE TABLE hub (name text)');
    const name = new URL(url).pathname.slice(1);
    expect(await problemsOn(url)).toEqual([
      `other tables: the database ${name} belongs to another program: it has hub, visitors, and no table of agenthub → name an empty database, such as a new one of createdb: a hub does not start on this one`,
    ]);
    expect(await run(newCli(ANY_TARGET), ['serve', '--port', '0', '--database', url])).toMatchObject({
      code: 1,
      stderr:
        'agenthub: the database has tables, but none of agenthub (hub, visitors); name an empty database, such as a new one of createdb\n',
    });
    const shared = await createPostgres();
    await ask(shared, 'CREATE TABLE visitors (name text PRIMARY KEY)', "INSERT INTO visitors VALUES ('ada')");
    expect(await examine({ AGENTHUB_DATABASE: shared })).toMatchObject({
      privileges: expect.stringMatching(/^ok/),
      'other tables': expect.stringMatching(
        /^warn: the tables of agenthub are in test_\w+ together with others: visitors$/,
      ),
    });
    const exported = await outputOf(newCli(ANY_TARGET, { AGENTHUB_DATABASE: shared }), ['export']);
    expect(exported).not.toContain('visitors');
  });

  test('doctor says that the password is wrong', async () => {
    const server = await startPostgres();
    if (server === undefined) throw new Error('there was a server for the other tests');
    onTestFinished(server.stop);
    const [found] = await rowsOf(server.url, 'SHOW hba_file');
    writeFileSync(String(found?.['hba_file']), 'host all postgres all trust\nhost all all all scram-sha-256\n');
    await ask(server.url, "CREATE ROLE hub LOGIN PASSWORD 'right'", 'SELECT pg_reload_conf()');
    const { host } = new URL(server.url);
    const at = (login: string): string => `postgres://${login}@${host}/postgres`;
    expect(await problemsOn(at('hub:wrong'))).toEqual([
      `database: cannot use the database postgres at ${host}: wrong password of the user hub, or there is no such user → correct the URL, or set the password with ALTER ROLE … PASSWORD`,
    ]);
    expect(await problemsOn(at('hub'))).toEqual([
      `database: cannot use the database postgres at ${host}: the server asks for the password of the user hub, and the URL has none → write postgres://hub:PASSWORD@…, best in a file that AGENTHUB_DATABASE_FILE names`,
    ]);
  });

  test('doctor finds a server that was replaced, and was started again', async () => {
    const pair = await startPostgresPair();
    if (pair === undefined) throw new Error('there was a server for the other tests');
    onTestFinished(pair.stop);
    await prepare(pair.url);
    const [, one = '', two = ''] = /@(.*),(.*)\//.exec(pair.url) ?? [];
    expect(await examine({ AGENTHUB_DATABASE: pair.url })).toMatchObject({
      servers: expect.stringMatching(
        new RegExp(
          `^ok: ${one} \\(takes writes, timeline 1, system \\d+\\), ${two} \\(a standby, timeline 1, system \\d+\\)$`,
        ),
      ),
    });
    await pair.primary.kill();
    await pair.promote();
    expect(await examine({ AGENTHUB_DATABASE: pair.url })).toMatchObject({
      servers: `warn: cannot use the database postgres at ${one}: nothing listens there`,
    });
    await pair.primary.start();
    const [problem] = (await problemsOn(pair.url)).filter((line) => line.startsWith('servers'));
    const writes = (timeline: number): string => `\\(takes writes, timeline ${timeline}, system (\\d+)\\)`;
    expect(problem).toMatch(
      new RegExp(
        `^servers: 2 servers take writes, and hubs that cannot reach the newest may use another: ${one} ${writes(1)}, ${two} ${writes(2)} → stop ${one} \\(replaced, older timeline\\) at once, `,
      ),
    );
  });

  test('doctor says that a database is empty, and may be used', async () => {
    expect(await examine({ AGENTHUB_DATABASE: await createEmptyPostgres() })).toMatchObject({
      privileges: 'ok: postgres may create the tables',
      schema: 'warn: the database holds no hub yet',
      cluster: 'warn: no hub runs on the database',
    });
  });

  test('healthcheck says that the database cannot be reached', async () => {
    const server = await startPostgres();
    if (server === undefined) throw new Error('there was a server for the other tests');
    onTestFinished(server.stop);
    const hub = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: server.url } });
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
    await server.kill();
    expect(await run(cli, ['healthcheck', '--timeout', '20'])).toMatchObject({
      code: 1,
      stderr: `agenthub: the hub at ${hub.url} is not healthy: status 503, the database cannot be reached; try again in a few seconds\n`,
    });
  });
});
