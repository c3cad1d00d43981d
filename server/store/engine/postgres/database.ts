// The database of several hubs: PostgreSQL. One connection writes, another reads, and a third follows the other hubs.
import { StartError, TryLater, unavailable } from '../../../domain/errors.ts';
import { randomWord } from '../../../domain/ids/ids.ts';
import { choosesEncryption, isOnThisMachine } from '../../../domain/postgres-url.ts';
import { position } from '../../events.ts';
import { listMissed } from '../../lists/replay.ts';
import { openCalls, UNMETERED } from '../calls.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import { commitGroup, type Failure } from '../group.ts';
import { openObstacle } from '../obstacle.ts';
import type { Reader } from '../transaction.ts';
import { drainHubOn } from './cluster.ts';
import { type Connection, connectionTo } from './connection/connection.ts';
import { canRunAgain, endsSnapshot, isLost } from './connection/errors.ts';
import { problemOf } from './connection/problems.ts';
import { serversAt } from './connection/servers.ts';
import type { Statements } from './connection/statements.ts';
import { logWait, waitOf } from './connection/waiting.ts';
import { openGossip } from './gossip.ts';
import { inspectOn } from './inspect.ts';
import { type KnownNetworks, openKnownNetworks } from './networks.ts';
import { openStalls } from './stalls.ts';
import { openTail } from './tail.ts';
import { readerOn } from './transaction.ts';
import { SCHEMA } from './upgrade.ts';
import { markStart, openWriter, unmark, WRITER } from './writer.ts';

/** A server that does not answer for this long may have given the lock of the leader to another hub. */
const SILENT_MS = 2_000;
/**
 * What it writes about this hub is written again a moment later. A notification waits for the commit of a group with
 * events, and with it for a synchronous standby. If only this end gave up, the server would keep the session.
 */
const FOLLOWER = '-c synchronous_commit=off -c lock_timeout=500';

/** Of a group of writes, so that those that wait for long are refused in time while the server cannot be reached. */
const PATIENCE_MS = 500;
/** Of several servers, which one was promoted last. */
const COMPARED_EVERY_MS = 2_000;

/** The environment may encrypt the connection, too. */
const HUB = `SELECT id_key, access_version, seq,
  EXISTS (SELECT 1 FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS is_encrypted FROM hub`;

type Hub = { id_key: string; access_version: number; seq: number; is_encrypted: number };

export async function openPostgres(options: DatabaseOptions): Promise<Database> {
  const { now } = options.clock;
  const { elapsed = () => performance.now() } = options;
  const servers = serversAt(options.database, (server) =>
    options.log?.warn({ server }, 'the hub uses another server of its database'),
  );
  const writing = connectionTo(servers, { settings: WRITER, patienceMs: PATIENCE_MS });
  const reading = connectionTo(servers);
  const following = connectionTo(servers, { query_timeout: SILENT_MS, settings: FOLLOWER });
  const networks = openKnownNetworks();
  const hubId = randomWord(20);
  const begin = async (statements: Statements): Promise<Hub> => {
    const found = await statements.first<Hub>(HUB, []);
    if (found === undefined) throw new StartError('the table hub of the database is empty: restore it from a backup');
    await networks.follow(statements, found.access_version);
    await markStart(statements, hubId);
    return found;
  };
  const beginOn = ({ statements, session }: Awaited<ReturnType<Connection['open']>>): Promise<Hub> =>
    logWait(begin(statements), () => waitOf(options.database, session), options.log);
  const hub = await Promise.all([reading.open(), writing.open(), following.open()])
    .then(([opened]) => beginOn(opened))
    .catch((error: unknown) => {
      for (const each of [reading, writing, following]) each.drop();
      throw problemOf(error, options.database);
    });
  if (hub.is_encrypted === 0 && !choosesEncryption(options.database) && !isOnThisMachine(options.database))
    options.log?.warn({}, 'the connections to the database are not encrypted; set sslmode=verify-full in its URL');
  let version = hub.access_version;
  const outage = openObstacle(elapsed, () => (stalls.isOfServer() ? heldUp() : unreachable()));
  const writer = openWriter(writing, { hubId, networks, now });
  const failureOf = (error: unknown): Failure => {
    if (isLost(error) || canRunAgain(error)) return 'again';
    options.onError(error);
    return { error, spared: [] };
  };
  /** That the server is lost shows in other ways. */
  const onReadError = (error: unknown): void => {
    if (!(error instanceof TryLater)) options.onError(error);
  };
  const calls = openCalls({
    elapsed,
    commit: async (jobs, usage, join) => {
      const { left, mustWait } = await stalls.during(() =>
        commitGroup(jobs, {
          meter: UNMETERED,
          ...options,
          publish: tail.committed,
          usage,
          join,
          failureOf,
          onAccessVersion: (changed) => void (version = changed),
          transaction: (networkIds, work) => writer.transaction(networkIds, usage, work),
        }),
      );
      if (mustWait) return outage.wait(left);
      outage.ended();
      return left;
    },
    reads: {
      snapshot: (work) => snapshot(reading, networks, (statements) => work(readerOn(statements, networks, now()))),
      endsTransaction: endsSnapshot,
      onFailure: onReadError,
    },
    onFatal: options.onFatal,
  });
  const stalls = openStalls({
    session: writing.session,
    refuseLate: () => calls.siftWrites(outage.refuse),
    read: calls.read,
    drop: writing.drop,
  });
  /** The server that is used may have been replaced without being lost, or may have been restarted since. */
  const moveOn = async (): Promise<void> => {
    await servers.compare();
    for (const connection of [writing, reading, following])
      if ((connection.server() ?? servers.used()) !== servers.used()) connection.drop();
  };
  const moving = setInterval(() => void moveOn(), COMPARED_EVERY_MS);
  const gossip = openGossip(following, hubId);
  const tail = openTail({
    connection: following,
    hubId,
    self: options.self,
    start: hub.seq,
    startedAt: now(),
    readAfter: (seq) => calls.read((reader) => readForeign(reader, seq, options.isHeard)),
    publish: options.publish,
    onRights: (changed) => {
      if (changed <= version) return;
      version = changed;
      options.onForeignRights?.();
      calls.read(async () => {}).catch(onReadError); // follows the networks, so that the next write need not
    },
    onShared: (shared) => options.onShared?.(shared),
    gossip,
    onGossip: (told) => options.onGossip?.(told),
    onDrain: () => options.onDrain?.(),
    onOutdated: () => {
      options.onError(new Error('a newer agenthub has upgraded the database, so this one stops: start the newer one'));
      options.onDrain?.();
    },
    onSetBack: () => {
      options.onError(
        new Error('the database was set back to an earlier state, such as by a restore: event streams start over'),
      );
      options.onDeaf?.();
    },
    onDeaf: () => {
      // Over a broken network, nothing else would end what waits for the server.
      writing.drop();
      reading.drop();
      options.onDeaf?.();
    },
    onError: onReadError,
  });
  await tail.joined;
  return {
    idKey: hub.id_key,
    accessVersion: () => version,
    read: calls.read,
    write: calls.write,
    queues: calls.queues,
    // The disk is that of the server.
    sizes: () => ({ database: 0, log: 0 }),
    disk: () => undefined,
    isFull: () => false,
    isGone: () => false,
    isLeader: tail.isLeader,
    cluster: {
      hubId,
      hubs: tail.hubs,
      eventsBehind: tail.eventsBehind,
      holdsUpWrites: stalls.isOfServer,
      schema: SCHEMA.version,
      drain: (id, isForced) => answering(drainHubOn(options.database, id, isForced)),
      inspect: () => answering(inspectOn(options.database)),
    },
    heartbeatsStored: tail.heartbeatsStored,
    tell: gossip.tell,
    close: async () => {
      await calls.close();
      stalls.stop();
      clearInterval(moving);
      // Or the other hubs remove it.
      await reading
        .statements()
        .then((statements) => unmark(statements, hubId))
        .catch(() => {});
      await Promise.all([tail.close(), writing.close(), reading.close()]);
    },
  };
}

const heldUp = () => unavailable('the database server holds up all writes; try again in a few seconds');
const unreachable = () => unavailable('the database cannot be reached; try again in a few seconds');

/** The problem of a database ends a start; in a running hub it is an answer to the operator. */
async function answering<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof StartError ? unavailable(error.message) : error;
  }
}

/** Runs `work` in one snapshot of committed data. */
async function snapshot(
  connection: Connection,
  networks: KnownNetworks,
  work: (statements: Awaited<ReturnType<Connection['statements']>>) => Promise<void>,
): Promise<void> {
  const statements = await connection.statements().catch((error: unknown) => {
    throw isLost(error) ? unreachable() : error;
  });
  try {
    const [, found] = await Promise.all([
      statements.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
      statements.first<Pick<Hub, 'access_version'>>('SELECT access_version FROM hub', []),
    ]);
    try {
      await networks.follow(statements, found?.access_version ?? 0);
      await work(statements);
    } finally {
      await statements.exec('COMMIT');
    }
  } catch (error) {
    if (!isLost(error)) throw error;
    connection.drop();
    throw unreachable();
  }
}

const AT_ONCE = { limit: 500, characters: 4_000_000, rows: 2_000, first: 64 };

/** The events of all hubs and networks after a number. The event of a session may be a rename, which moves messages. */
async function readForeign(reader: Reader, after: number, isHeard: DatabaseOptions['isHeard']) {
  const asked = { networks: undefined, alias: undefined, after, isHeard, ...AT_ONCE };
  const [{ latest }, { found, end }] = await Promise.all([position(reader), listMissed(reader, asked)]);
  return {
    found: found.map((event) => (event.name === 'session' ? { ...event, inbox: JSON.parse(event.data).alias } : event)),
    end: end ?? latest,
  };
}
