// What the loss of a connection looks like, whatever ended it: the hub opens another and tries again.
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { type Connection, connectionTo } from '../../../server/store/engine/postgres/connection/connection.ts';
import { canRunAgain, isLost } from '../../../server/store/engine/postgres/connection/errors.ts';
import { serversAt } from '../../../server/store/engine/postgres/connection/servers.ts';
import { createEmptyPostgres, SERVER } from '../../support/store/postgres.ts';

const LOSSES: Readonly<Record<string, (connection: Connection) => Promise<unknown>>> = {
  'closed by the hub before the statement': async (connection) => {
    const { client, statements } = await connection.open();
    await client.end();
    return statements.exec('SELECT 1');
  },
  'closed by the hub during the statement': async (connection) => {
    const { statements } = await connection.open();
    const answer = statements.exec('SELECT pg_sleep(30)');
    connection.drop();
    return answer;
  },
  'ended by the server': async (connection) => {
    const { statements } = await connection.open();
    return statements.exec('SELECT pg_terminate_backend(pg_backend_pid())');
  },
  'broken off': async (connection) => {
    const { client, statements } = await connection.open();
    const answer = statements.exec('SELECT pg_sleep(30)');
    client.connection.stream.destroy();
    return answer;
  },
};

const connected = async (options = {}): Promise<Connection> => {
  const connection = connectionTo(serversAt(await createEmptyPostgres()), options);
  onTestFinished(connection.close);
  return connection;
};
const failed = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'no error',
    (error: unknown) => error,
  );

test.skipIf(SERVER === undefined).each(Object.entries(LOSSES))('%s', async (_, lose) => {
  const connection = await connected();
  expect(await failed(lose(connection))).toSatisfy(isLost);
  connection.drop();
  await expect((await connection.statements()).all('SELECT 1 AS one', [])).resolves.toEqual([{ one: 1 }]);
});

test.skipIf(SERVER === undefined)('no answer in time', async () => {
  const { statements } = await (await connected({ query_timeout: 50 })).open();
  expect(await failed(statements.exec('SELECT pg_sleep(1)'))).toSatisfy(isLost);
});

test('refused', async () => {
  const connection = connectionTo(serversAt(`postgres://nobody@127.0.0.1:${await freePort()}/none`));
  expect(await failed(connection.open())).toSatisfy(isLost);
});

test.skipIf(SERVER === undefined)('a wrong statement is no loss', async () => {
  const { statements } = await (await connected()).open();
  const error = await failed(statements.exec('SELECT nothing'));
  expect(error).not.toSatisfy(isLost);
  expect(error).not.toSatisfy(canRunAgain);
});

describe.skipIf(SERVER === undefined)('of several servers', () => {
  /** `change` makes the URL of one server one of several. */
  const along = (url: string, change: (host: string) => string): string => {
    const { host } = new URL(url);
    return url.replace(host, change(host));
  };
  const readOnly = async (): Promise<string> => {
    const url = await createEmptyPostgres();
    const client = new Client(url);
    await client.connect();
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    await client.end();
    return url;
  };
  const opened = async (url: string) => {
    const connection = connectionTo(serversAt(url));
    onTestFinished(connection.close);
    return connection;
  };

  test('the one that can be reached is used, and found again', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    for (const order of [(host: string) => `${dead},${host}`, (host: string) => `${host},${dead}`]) {
      const connection = await opened(along(await createEmptyPostgres(), order));
      for (let times = 0; times < 2; times += 1) {
        expect(await (await connection.statements()).all('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
        connection.drop();
      }
    }
  });

  test('none is used that takes no writes', async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    for (const order of [(host: string) => `${dead},${host}`, (host: string) => `${host},${dead}`]) {
      const error = await failed((await opened(along(await readOnly(), order))).open());
      expect(error).toMatchObject({
        refusals: expect.arrayContaining([expect.objectContaining({ code: '25006' })]),
      });
      expect(error).toSatisfy(isLost);
    }
  });

  test('another is used when one is demoted', async () => {
    const url = await createEmptyPostgres();
    const connection = await opened(along(url, (host) => `${host},${host}`));
    const { statements } = await connection.open();
    const name = new URL(url).pathname.slice(1);
    await statements.exec(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await statements.exec('SET default_transaction_read_only = on');
    expect(await failed(statements.exec('CREATE TABLE t (a int)'))).toSatisfy(isLost);
    connection.drop();
    expect(await failed(connection.open())).toMatchObject({ refusals: [{ code: '25006' }, { code: '25006' }] });
    const admin = new Client(url);
    await admin.connect();
    await admin.query('SET default_transaction_read_only = off');
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await admin.end();
    await (await connection.statements()).exec('CREATE TABLE t (a int)');
  });
});

test.skipIf(SERVER === undefined)('a database that takes no connections, or is gone', async () => {
  const url = new URL(await createEmptyPostgres());
  const name = url.pathname.slice(1);
  const administrator = new Client(SERVER);
  await administrator.connect();
  onTestFinished(() => administrator.end());
  await administrator.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  expect(await failed(connectionTo(serversAt(url.href)).open())).toSatisfy(isLost);
  url.pathname = '/nowhere';
  expect(await failed(connectionTo(serversAt(url.href)).open())).toSatisfy(isLost);
});
