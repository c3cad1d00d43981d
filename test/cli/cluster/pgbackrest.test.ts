// "Back up the database", as an operator follows it, with the PostgreSQL server and the pgBackRest of the system: tasks
// that were sent after the moment to which the database is put back are gone, and everything before is there.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { openEvents } from '../../support/http/event-reader.ts';
import { register, restClient } from '../../support/http/rest-client.ts';
import { listOf, objectIn } from '../../support/json.ts';
import { newCli, outputOf } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { startHub, temporaryDirectory } from '../../support/process/running-hub.ts';
import { readmeBlocks } from '../../support/readme.ts';

const ROOT = '/usr/lib/postgresql';
const version = existsSync(ROOT)
  ? readdirSync(ROOT).find((each) => existsSync(join(ROOT, each, 'bin/pg_ctl')))
  : undefined;
const isInstalled =
  version !== undefined && spawnSync('pgbackrest', ['version']).status === 0 && process.getuid?.() === 0;
if (!isInstalled)
  process.stderr.write(
    `\n!!! "Back up the database" is SKIPPED: it needs root and apt-get install --no-install-recommends postgresql pgbackrest\n`,
  );

const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
const textsOf = (language: string): string[] => readmeBlocks('Back up the database', language).map(({ text }) => text);

type Server = { url: string; asPostgres(line: string): void };

/** A server with the settings of the section, in another place. */
async function startServer(): Promise<Server> {
  const directory = temporaryDirectory();
  const [data, repository] = [join(directory, 'main'), join(directory, 'repository')];
  const port = await freePort();
  const user = { uid: idOf('-u'), gid: idOf('-g') };
  for (const each of [directory, repository, join(directory, 'log'), join(directory, 'lock')]) {
    mkdirSync(each, { recursive: true });
    chownSync(each, user.uid, user.gid);
  }
  const [configuration = '', settings = ''] = textsOf('ini');
  const file = join(directory, 'pgbackrest.conf');
  writeFileSync(
    file,
    configuration.replace('/var/lib/postgresql/15/main', data).replace('/var/lib/pgbackrest', repository),
  );
  const env = {
    PATH: `${join(ROOT, String(version), 'bin')}:${process.env['PATH']}`,
    PGBACKREST_CONFIG: file,
    PGBACKREST_LOG_PATH: join(directory, 'log'),
    PGBACKREST_LOCK_PATH: join(directory, 'lock'),
    PGBACKREST_PG1_PORT: String(port),
    PGBACKREST_PG1_SOCKET_PATH: directory,
  };
  const asPostgres = (line: string): void => {
    const command = line.replace(/^pg_ctlcluster 15 main (\w+)$/, `pg_ctl $1 -w -D ${data} -l ${directory}/log/server`);
    const { status, stderr, stdout } = spawnSync('sh', ['-c', command], {
      ...user,
      env,
      cwd: directory,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command} returned ${status}: ${stderr}${stdout}`);
  };
  asPostgres(`initdb -D ${data} -A trust -U postgres --encoding=UTF8`);
  appendFileSync(
    join(data, 'postgresql.conf'),
    `${settings}\nport = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${directory}'\n`,
  );
  asPostgres('pg_ctlcluster 15 main start');
  onTestFinished(() => asPostgres(`! pg_ctl status -D ${data} || pg_ctl stop -m fast -D ${data}`));
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, asPostgres };
}

/** A moment after what was done, also by the clock of pgBackRest, which counts whole seconds. */
async function timeOf({ url }: Server): Promise<string> {
  const client = new Client(url);
  await client.connect();
  await client.query('SELECT pg_sleep(1)');
  const { rows } = await client.query('SELECT now()::text AS now');
  await client.end();
  return rows[0].now;
}

describe.skipIf(!isInstalled)('the backup of the database of several hubs', () => {
  test('puts the database back to a moment, and event streams start over', { timeout: 120_000 }, async () => {
    const server = await startServer();
    const [prepare = '', restore = ''] = textsOf('sh');
    const start = () => startHub({ target: ANY_TARGET, args: ['--database', server.url] });
    const first = await start();
    const account = await register(first.url);
    const send = (task: string) =>
      restClient(first.url, account.networkToken).post('/api/tasks', { alias: 'bob', task });
    const stream = await openEvents(`${first.url}/events/bob`, account.networkToken);
    await send('before the backup');
    for (const line of prepare.trim().split('\n')) server.asPostgres(line);
    await send('after the backup');
    const moment = await timeOf(server);
    await send('a mistake');
    await expect.poll(() => stream.arrived().filter(({ name }) => name === 'new_task').length).toBe(3);
    await stream.close();
    await first.stop();

    for (const line of restore.trim().split('\n')) {
      const [, ...words] = line.split(' ');
      if (!line.startsWith('agenthub ')) server.asPostgres(line.replace('2026-01-31 12:00:00+00', moment));
      else await outputOf(newCli(ANY_TARGET), [...words.slice(0, -1), server.url]);
    }

    const hub = await start();
    const { body } = await restClient(hub.url, account.networkToken).get('/api/tasks');
    expect(listOf(body, 'tasks').map(({ content }) => content)).toEqual(['after the backup', 'before the backup']);
    const lastEventId = stream.lastEventId() ?? '';
    const again = await openEvents(`${hub.url}/events/bob`, account.networkToken, { lastEventId });
    await again.next('resync');
    await again.close();
    const checked = await outputOf(newCli(ANY_TARGET, { AGENTHUB_DATABASE: server.url }), ['cluster', '-o', 'json']);
    expect(listOf(objectIn(checked), 'hubs')).toHaveLength(1);
  });
});
