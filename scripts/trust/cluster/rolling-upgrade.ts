// Three hubs on one PostgreSQL server that are replaced by the next version, one after the other, under load.
import { hostname } from 'node:os';
import { Client } from 'pg';
import { run, until } from '../hub.ts';
import type { Row, Trial } from '../row.ts';
import { type Change, copySource, sourceOf } from '../source-copy.ts';
import { type Cluster, NO_SERVER, openCluster, openServer, startTraffic, type Traffic } from './cluster.ts';

const DRAIN_SECONDS = 2;
const DRAINED_MS = 20_000;
/** Hubs of the version before have been gone for five seconds, and a poll has noticed it. */
const CONTRACTED_MS = 15_000;
const MOST_MS = 1_000;
const SENDS_BETWEEN = 60;

/** The contracted schema accepts tasks from the next version only, which says so with a setting of its connection. */
const EXPAND = 'ALTER TABLE sessions ADD COLUMN shade text';
const CONTRACT = `CREATE FUNCTION only_next() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF coalesce(current_setting('agenthub.next', true), '') <> 'yes' THEN RAISE EXCEPTION 'an older hub writes'; END IF;
  RETURN NEW; END $$;
  CREATE TRIGGER only_next BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION only_next()`;

const NEXT_VERSION: readonly Change[] = [
  {
    file: 'server/store/engine/postgres/upgrade.ts',
    find: 'export const SCHEMA: Schema = {\n  version: 14,\n  upgrades: [',
    put: `export const SCHEMA: Schema = {\n  version: 15,\n  upgrades: [
    { version: 15, expand: ${JSON.stringify(EXPAND)}, contract: ${JSON.stringify(CONTRACT)} },`,
  },
  {
    file: 'server/store/engine/postgres/writer.ts',
    find: 'idle_in_transaction_session_timeout=1000',
    put: 'idle_in_transaction_session_timeout=1000 -c agenthub.next=yes',
  },
];

export const rollingUpgrade: Row = {
  name: 'rolling-upgrade',
  promise: 'hubs are replaced by the next version without a pause, and nothing is lost or refused',
  test: (times) => `three hubs upgraded one after the other, ${times} times, one of the old ones killed between`,
  target: `0 lost, 0 doubled, 0 refused, 0 events missing, twice or out of order; sends take ≤ ${MOST_MS} ms`,
  amounts: { least: 1, quick: 1, long: 5 },
  isAlone: true,
  run: async (trial) => {
    const figures: string[] = [];
    const complaints: string[] = [];
    for (let time = 0; time < trial.amount; time += 1) {
      const found = await upgradeOnce(trial);
      if (found === undefined) return { skipped: NO_SERVER };
      figures.push(found.figure);
      complaints.push(...found.complaints);
    }
    return { figure: figures.join('; '), complaints };
  },
};

async function upgradeOnce(trial: Trial): Promise<{ figure: string; complaints: string[] } | undefined> {
  const next = copySource(trial.directory(), NEXT_VERSION, sourceOf(trial.command));
  const server = await openServer(trial);
  if (server === undefined) return undefined;
  const cluster = await openCluster(trial, server, { args: ['--drain-seconds', String(DRAIN_SECONDS)] });
  const before = await versionsOf(cluster);
  const traffic = await startTraffic(cluster);
  for (const [place] of cluster.hubs.entries()) {
    await drain(trial, cluster, place);
    await cluster.restart(place, next);
    await goesOn(traffic);
    if (place === 0) await killOld(cluster, traffic);
  }
  const isContracted = await until(async () => (await versionsOf(cluster)).needed > before.needed, CONTRACTED_MS).then(
    () => true,
    () => false,
  );
  await goesOn(traffic);
  const wrong = await traffic.end();
  const longest = Math.max(...traffic.sends.map(({ tookMs }) => tookMs));
  return {
    figure: `${traffic.sends.length} sends, the longest ${Math.round(longest)} ms`,
    complaints: [
      ...wrong,
      ...(isContracted || traffic.refused.length > 0 ? [] : ['the schema was not contracted after the upgrade']),
      ...(longest > MOST_MS && trial.size !== 'least' ? [`a send took ${Math.round(longest)} ms`] : []),
    ],
  };
}

/** One of the old version is killed and starts again on the schema of the next one. */
async function killOld(cluster: Cluster, traffic: Traffic): Promise<void> {
  const last = cluster.hubs.length - 1;
  await cluster.hubs[last]?.kill('SIGKILL');
  await cluster.restart(last);
  await goesOn(traffic);
}

async function drain({ command }: Trial, { server, hubs }: Cluster, place: number): Promise<void> {
  const hub = hubs[place];
  if (hub === undefined) return;
  const name = `${hostname()}:${hub.port}`;
  const draining = run(command, ['cluster', 'drain', name, '--database', server.url]);
  const stopped = await Promise.race([
    hub.ended.then(() => true),
    new Promise<false>((resolve) => setTimeout(resolve, DRAINED_MS, false).unref()),
  ]);
  await draining.kill('SIGTERM');
  if (!stopped) throw new Error(`the hub ${name} did not stop: ${draining.output()}`);
}

/** Every lane sends through all hubs, or a send was refused. */
async function goesOn({ sends, refused }: Traffic): Promise<void> {
  const goal = sends.length + SENDS_BETWEEN;
  await until(() => sends.length >= goal || refused.length > 0, CONTRACTED_MS).catch(() => {
    refused.push(`the hubs stored only ${sends.length - goal + SENDS_BETWEEN} of ${SENDS_BETWEEN} sends`);
  });
}

async function versionsOf({ server }: Cluster): Promise<{ needed: number }> {
  const client = new Client(server.url);
  await client.connect();
  const { rows } = await client.query('SELECT needed_version AS needed FROM hub');
  await client.end();
  return { needed: Number(rows[0]?.needed) };
}
