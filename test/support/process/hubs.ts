// Three hubs on one PostgreSQL database behind a proxy that passes every request to the next one, so that no test can
// rely on what one process remembers.
import { existsSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DATABASE } from '../../../server/domain/files/data-files.ts';
import { fillFrom } from '../../../server/store/engine/postgres/rows.ts';
import { readAllRows } from '../../../server/store/file/rows.ts';
import { createPostgres } from '../store/postgres.ts';
import type { Cleanup } from './failed-tests.ts';
import type { HubOptions, RunningHub } from './running-hub.ts';

/** Whether hubs of this run are three on PostgreSQL instead of one on a file. */
export const ARE_SEVERAL = process.env['AGENTHUB_TEST_DATABASE'] === 'hubs';

const SIZE = 3;
/** As the hubs promise in `Keep-Alive`, which the proxy passes on: a client reuses a connection for as long. */
const IDLE_MS = 75_000;

/** `data` may hold the database file whose rows they start with. Signals go to all of them. */
export async function startHubs(
  options: HubOptions & { data: string; atEnd: (cleanup: Cleanup) => void },
  start: (options: HubOptions) => Promise<RunningHub>,
): Promise<RunningHub> {
  const database = databases.get(options.data) ?? (await databaseOf(options));
  const args = [...(options.args ?? []), '--database', database];
  const hubs: RunningHub[] = [];
  for (let n = 1; n <= SIZE; n += 1)
    hubs.push(await start({ ...options, args, data: n === 1 ? options.data : join(options.data, `hub-${n}`) }));
  const [first] = hubs;
  if (first === undefined) throw new Error('no hub was started');
  const each = <Value>(act: (hub: RunningHub) => Promise<Value>): Promise<Value> =>
    Promise.all(hubs.map(act)).then(([value]) => value as Value);
  const urls = hubs.map(({ url }) => url);
  return {
    ...first,
    url: await openBalancer(urls, options.atEnd),
    output: () => hubs.map((hub) => hub.output()).join(''),
    signal: (signal) => hubs.forEach((hub) => hub.signal(signal)),
    kill: (signal) => each((hub) => hub.kill(signal)),
    stop: () => each((hub) => hub.stop()),
  };
}

/** By the data directory of their hubs, which may start again. */
const databases = new Map<string, string>();

async function databaseOf({ data, atEnd }: { data: string; atEnd: (cleanup: Cleanup) => void }): Promise<string> {
  const database = await createPostgres(atEnd);
  const file = join(data, DATABASE);
  if (existsSync(file)) await fillFrom(database, readAllRows(file));
  databases.set(data, database);
  return database;
}

async function openBalancer(targets: readonly string[], atEnd: (cleanup: Cleanup) => void): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (incoming, outgoing) => {
    turn += 1;
    pass(incoming, outgoing, targets[turn % targets.length] ?? '', agent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string, agent: Agent): void {
  const { method = 'GET', rawHeaders } = incoming;
  const onward = request(target + incoming.url, { method, headers: rawHeaders, agent, setDefaultHeaders: false });
  onward.on('response', (reply) => {
    outgoing.writeHead(reply.statusCode ?? 500, reply.statusMessage, reply.rawHeaders);
    reply.on('error', () => outgoing.destroy()).pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
