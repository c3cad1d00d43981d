// What a start says about a database server that cannot be used: one line with the cause and the remedy.
import { appendFileSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { type PostgresServer, startPostgres, startPostgresPair } from '../../../scripts/support/postgres-server.ts';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';
import { hasOpenssl, newCertificate } from '../../support/process/certificate.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';
import { openHubOn } from '../../support/test-hub.ts';

const messageOf = (url: string): Promise<string> =>
  prepare(url).then(
    () => 'no error',
    (error: Error) => error.message,
  );

async function ask(url: string, ...statements: readonly string[]): Promise<Record<string, string>> {
  const client = new Client(url);
  await client.connect();
  let row = {};
  for (const sql of statements) row = (await client.query(sql)).rows[0] ?? {};
  await client.end();
  return row;
}

/** The server asks all users but its administrator for a password. It has a certificate that nobody has signed. */
async function startGuarded(): Promise<PostgresServer> {
  const server = await startPostgres();
  if (server === undefined) throw new Error('there was a server for the other tests');
  const { hba_file = '' } = await ask(server.url, 'SHOW hba_file');
  const files = newCertificate(dirname(hba_file), 'db.example.org');
  const { uid, gid } = statSync(hba_file);
  for (const file of files) chownSync(file, uid, gid);
  writeFileSync(hba_file, 'host all postgres all trust\nhost all hashed all md5\nhost all stranger all reject\n');
  appendFileSync(
    hba_file,
    'hostssl all encrypted all trust\nhost all plain all password\nhost all hub,nobody all scram-sha-256\n',
  );
  const roles = ['hub', 'plain', 'stranger'].map((name) => `CREATE ROLE ${name} LOGIN PASSWORD 'right'`);
  const hashed = ['SET password_encryption = md5', "CREATE ROLE hashed LOGIN PASSWORD 'right'"];
  await ask(server.url, ...roles, ...hashed, ...ENCRYPTED, 'SELECT pg_reload_conf()');
  await vi.waitFor(async () => expect(await ask(server.url, 'SHOW ssl')).toEqual({ ssl: 'on' }), 10_000);
  return server;
}

const ENCRYPTED = ['ssl = on', "ssl_cert_file = 'cert.pem'", "ssl_key_file = 'key.pem'"].map(
  (setting) => `ALTER SYSTEM SET ${setting}`,
);

async function listen(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe.skipIf(SERVER === undefined || !hasOpenssl)('a server that refuses', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startGuarded()));
  afterAll(() => server.stop());

  const at = (login: string, { database = 'postgres', parameters = '' } = {}): string =>
    `postgres://${login}@${new URL(server.url).host}/${database}${parameters}`;

  test.each([
    [
      'no password',
      'hub',
      'the server asks for the password of the user hub, and the URL has none; write postgres://hub:PASSWORD@…, best in a file that AGENTHUB_DATABASE_FILE names',
    ],
    [
      'no password, in the old way',
      'hashed',
      'the server asks for the password of the user hashed, and the URL has none; write postgres://hashed:PASSWORD@…, best in a file that AGENTHUB_DATABASE_FILE names',
    ],
    [
      'no password, as it is',
      'plain',
      'the server asks for the password of the user plain, and the URL has none; write postgres://plain:PASSWORD@…, best in a file that AGENTHUB_DATABASE_FILE names',
    ],
    [
      'a wrong password',
      'hub:secret',
      'wrong password of the user hub, or there is no such user; correct the URL, or set the password with ALTER ROLE … PASSWORD',
    ],
    [
      'an unknown user',
      'nobody:secret',
      'wrong password of the user nobody, or there is no such user; correct the URL, or set the password with ALTER ROLE … PASSWORD',
    ],
    [
      'a user it does not let in',
      'stranger:secret',
      'the server does not let the user stranger in from here (pg_hba.conf rejects connection for host "127.0.0.1", user "stranger", database "postgres", no encryption); allow the user, the database and this machine there, and reload the server, or set sslmode=verify-full in the URL',
    ],
  ])('%s says so', async (_, login, words) => {
    expect(await messageOf(at(login))).toBe(
      `cannot use the database postgres at ${new URL(server.url).host}: ${words}`,
    );
  });

  test.each([
    [{ database: 'nowhere' }, 'it does not exist; create it with createdb'],
    [
      { parameters: '?sslmode=require' },
      'its certificate is not accepted (self-signed certificate); name the certificate of the authority that signed it with sslrootcert=FILE in the URL; sslmode=no-verify encrypts without this check',
    ],
    [
      { parameters: '?sslmode=verify-full&sslrootcert=/nowhere/root.crt' },
      'the file /nowhere/root.crt cannot be read (ENOENT); correct the URL, which names it',
    ],
  ])('%j says so', async (given, words) => {
    const message = await messageOf(at('postgres:secret', given));
    expect(message).toContain(words);
    expect(message).not.toContain('secret');
  });

  test('a certificate that is none is named', async () => {
    const { hba_file = '' } = await ask(server.url, 'SHOW hba_file');
    const parameters = `?sslmode=verify-full&sslrootcert=${hba_file}&sslcert=${hba_file}&sslkey=${hba_file}`;
    expect(await messageOf(at('postgres', { parameters }))).toMatch(
      /: a certificate or key of the URL is not valid \(.*\); name PEM files with sslrootcert, sslcert and sslkey$/,
    );
  });

  test('a certificate for another name is named', async () => {
    const { hba_file = '' } = await ask(server.url, 'SHOW hba_file');
    const root = join(dirname(hba_file), 'cert.pem');
    expect(await messageOf(at('postgres', { parameters: `?sslmode=verify-full&sslrootcert=${root}` }))).toContain(
      'its certificate is for another name (',
    );
    expect(await messageOf(at('encrypted', { parameters: '?sslmode=no-verify' }))).toContain(
      'the server refuses the user encrypted (role "encrypted" does not exist); create the user with LOGIN, or correct the URL',
    );
  });
});

test.skipIf(SERVER === undefined)('a server without encryption says so', async () => {
  expect(await messageOf(`${SERVER}?sslmode=verify-full`)).toMatch(
    /: the server offers no encryption; set ssl = on on the server, or sslmode=disable in the URL if you trust /,
  );
});

describe.skipIf(SERVER === undefined)('a database is refused', () => {
  test('whose encoding cannot store all characters', async () => {
    const name = `latin_${process.pid}`;
    await ask(SERVER ?? '', `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    onTestFinished(() => ask(SERVER ?? '', `DROP DATABASE ${name}`).then(() => {}));
    const url = new URL(SERVER ?? '');
    url.pathname = `/${name}`;
    expect(await messageOf(url.href)).toBe(
      'the database has the encoding LATIN1; agenthub needs UTF8; create one with createdb --encoding=UTF8 --template=template0',
    );
  });

  test('that has lost tables', async () => {
    const url = await createPostgres();
    await ask(url, 'DROP TABLE tasks, messages, task_events');
    expect(await messageOf(url)).toBe(
      'the database lacks tables of agenthub: messages, task_events, tasks; restore the database from a backup',
    );
  });

  test('on which the user has too few connections for a hub', async () => {
    const owned = await createPostgres();
    const role = `limited_${process.pid}`;
    await ask(
      owned,
      `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`,
      `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    onTestFinished(() => ask(owned, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`).then(() => {}));
    const url = new URL(owned);
    url.username = role;
    await expect(openHubOn(url.href)).rejects.toThrow(
      `the server has no free connection (too many connections for role "${role}"); allow ten for each hub: raise max_connections, or the limit of the user or of the database`,
    );
  });
});

describe('a port without PostgreSQL', () => {
  const OTHER = 'the program that listens there is not PostgreSQL; correct the host and the port of the URL';
  const SILENT =
    'a program accepts connections there, but does not answer within two seconds; if it is PostgreSQL, it hangs or is overloaded; otherwise correct the host and the port of the URL';
  const CLOSED = 'the connection is closed without an answer; check that PostgreSQL listens there, and see its log';

  test.each<[string, () => Server, string]>([
    ['a web server', () => createHttpServer(), OTHER],
    ['a program that greets', () => createServer((socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n')), OTHER],
    ['a program that says nothing', () => createServer((socket) => void socket.on('error', () => {})), SILENT],
    ['a program that hangs up', () => createServer((socket) => void socket.destroy()), CLOSED],
  ])('%s is recognized, with and without encryption', async (_, create, words) => {
    const port = await listen(create());
    for (const parameters of ['', '?sslmode=verify-full'])
      expect(await messageOf(`postgres://hub:secret@127.0.0.1:${port}/hub${parameters}`)).toBe(
        `cannot use the database hub at 127.0.0.1:${port}: ${words}`,
      );
  });

  test('a server that is starting up says so, also among several', async () => {
    const answer = Buffer.from('E    SFATAL\0C57P03\0Mthe database system is starting up\0\0', 'latin1');
    answer.writeUInt32BE(answer.length - 1, 1);
    const port = await listen(createServer((socket) => void socket.on('error', () => {}).end(answer)));
    const says = 'the database system is starting up';
    expect(await messageOf(`postgres://hub@127.0.0.1:${port}/hub`)).toBe(
      `cannot use the database hub at 127.0.0.1:${port}: ${says}; try again when the server accepts connections; its log says how far it is`,
    );
    const other = await freePort();
    expect(await messageOf(`postgres://hub@127.0.0.1:${port},127.0.0.1:${other}/hub`)).toContain(
      `none of whose servers takes writes: 127.0.0.1:${port} (${says}), 127.0.0.1:${other} (nothing listens there); `,
    );
  });

  test('several servers with the same problem are named together, with different ones each', async () => {
    const [one, two] = [await freePort(), await listen(createHttpServer())];
    expect(await messageOf(`postgres://hub@127.0.0.1:${one},127.0.0.1:${one}/hub`)).toBe(
      `cannot use the database hub at 127.0.0.1:${one}, 127.0.0.1:${one}: nothing listens there; start PostgreSQL, or correct the URL`,
    );
    expect(await messageOf(`postgres://hub@127.0.0.1:${one},127.0.0.1:${two}/hub`)).toBe(
      `cannot use the database hub, none of whose servers takes writes: 127.0.0.1:${one} (nothing listens there), 127.0.0.1:${two} (the program that listens there is not PostgreSQL); start PostgreSQL, or correct the URL; correct the host and the port of the URL`,
    );
  });
});

test.skipIf(SERVER === undefined)('a standby whose primary is down is named as one', async () => {
  const pair = await startPostgresPair();
  if (pair === undefined) throw new Error('there was a server for the other tests');
  onTestFinished(pair.stop);
  await prepare(pair.url);
  await pair.primary.kill();
  const hosts = /@(.*),(.*)\//.exec(pair.url) ?? [];
  expect(await messageOf(pair.url)).toBe(
    `cannot use the database postgres, none of whose servers takes writes: ${hosts[1]} (nothing listens there), ${hosts[2]} (it is a standby); start the server that takes writes, or promote a standby`,
  );
});
