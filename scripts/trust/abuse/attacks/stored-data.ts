// Attacks with work that grows with what a network stores: filters without an index, resumed streams, statistics,
// removal.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { restClient } from '../../../../test/support/http/rest-client.ts';
import { textOf } from '../../../../test/support/json.ts';
import { type Attack, type AttackContext, callInBatches, repeat } from '../attack.ts';
import { ask, dial, requestText, rpc, toolCall } from '../wire.ts';

const SESSIONS = 50_000;
const SERVER = 'build-1';
const FILTERING_LANES = 4;

/** None has both the status and the server, and no index covers the two together. */
export const filteredStatus: Attack = {
  name: 'status lists with two filters',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const reports = Array.from({ length: share(SESSIONS) }, (_, number) => ({
      resume_id: `session-${number}`,
      alias: `agent-${number}`,
      status: number % 2 === 0 ? 'idle' : 'working',
      server: number % 2 === 0 ? SERVER : 'build-2',
    }));
    await callInBatches(context, mallory.networkToken, 'report_status', reports);
    const filter = { filter_status: 'working', filter_server: SERVER };
    return repeat(FILTERING_LANES, () => ask(hub, rpc(mallory.networkToken, toolCall('get_all_status', filter))));
  },
};

const EVENTS_OF_OTHERS = 150_000;
const RESUMING_LANES = 4;
const RESUME_MS = 300;

/** All events since the last event id are addressed to others, so each resume has to skip them. */
export const resumedStreams: Attack = {
  name: 'streams that resume after thousands of events of others',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const lastEventId = await firstEventId(context);
    const sends = Array.from({ length: share(EVENTS_OF_OTHERS) }, (_, number) => ({
      alias: `other-${number % 50}`,
      message: 'm',
      from_session: `m${number}`,
    }));
    await callInBatches(context, mallory.networkToken, 'send_message', sends);
    const request = { path: '/events/reader', token: mallory.networkToken, headers: { 'Last-Event-ID': lastEventId } };
    return repeat(RESUMING_LANES, () => ask(hub, request, { timeoutMs: RESUME_MS }));
  },
};

/** The id of an event on the stream of this agent. */
async function firstEventId({ hub, mallory }: AttackContext): Promise<string> {
  const socket = dial(hub);
  socket.write(requestText({ path: '/events/reader', token: mallory.networkToken }));
  const found = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const id = /^id: (\S+)$/m.exec(text)?.[1];
      if (id !== undefined) resolve(id);
    });
    socket.once('close', () => reject(new Error(`the stream closed after ${text}`)));
  });
  const message = { alias: 'reader', message: 'first', from_session: 'mallory' };
  await ask(hub, rpc(mallory.networkToken, toolCall('send_message', message)));
  return found.finally(() => socket.destroy());
}

const COUNTED_AGENTS = 500;
const QUARTER_MS = 900_000;
/** Every six hours of a week. */
const QUARTERS = Array.from({ length: 28 }, (_, span) => 24 * span);
const MEASURES = ['started', 'replied', 'failed', 'cancelled'];
const BUCKETS = Array.from({ length: 15 }, (_, number) => 8 + number);
const BUSY_TIMEOUT_MS = 10_000;
/** More than can be queued. */
const ASKING_LANES = 520;
/** Most clients leave before their turn. */
const ASKING_MS = 5_000;

/** Each request reads 840,000 counters. */
export const weeksOfFigures: Attack = {
  name: 'figures of 500 agents over a week',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const aliases = Array.from({ length: COUNTED_AGENTS }, (_, number) => `counted-${number}`);
    const reports = aliases.map((alias) => ({ resume_id: alias, alias, status: 'idle' }));
    await callInBatches(context, mallory.networkToken, 'report_status', reports);
    insertCounts(context, aliases.slice(0, share(COUNTED_AGENTS)));
    const request = { path: '/api/stats/agents?hours=168&limit=500', token: mallory.networkToken };
    return repeat(ASKING_LANES, () => ask(hub, request, { timeoutMs: ASKING_MS }));
  },
};

/** Directly, because settling as many tasks would take too long. */
function insertCounts({ hub, mallory }: AttackContext, aliases: readonly string[]): void {
  const database = new DatabaseSync(join(hub.data, 'agenthub.db'), { timeout: BUSY_TIMEOUT_MS });
  const insert = database.prepare(
    `INSERT OR IGNORE INTO duration_counts (network_seq, alias, quarter, measure, bucket, tasks)
     SELECT network_seq, ?, ? - quarter.value, measure.value, bucket.value, 1
     FROM networks, json_each(?) AS quarter, json_each(?) AS measure, json_each(?) AS bucket WHERE network_id = ?`,
  );
  const last = Math.floor(Date.now() / QUARTER_MS);
  const lists = [QUARTERS, MEASURES, BUCKETS].map((list) => JSON.stringify(list));
  for (const alias of aliases) insert.run(alias, last, ...lists, mallory.networkId);
  database.close();
}

const LONG_TASKS = 300;
const SHORT_TASKS = 60_000;
const LONG = '\u{1f600}'.repeat(9_990);
const CHECK_MS = 100;
/** The hub removes the rows in the background, at most a second later. */
const REMOVAL_MS = 2_500;

/** A network with long texts and many rows. */
export const removal: Attack = {
  name: 'a large network that is deleted',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const rest = restClient(hub.url, mallory.userToken);
    const network_id = textOf((await rest.post('/api/networks', { name: 'large' })).body, 'network_id');
    const token = textOf((await rest.post('/api/tokens', { name: 'filler', network_id })).body, 'token');
    const tasksOf = (count: number, texts: object): object[] =>
      Array.from({ length: count }, (_, number) => ({ alias: 'full', from_session: `m${number}`, ...texts }));
    await callInBatches(context, token, 'send_task', tasksOf(share(LONG_TASKS), { task: LONG, context: LONG }), 8);
    await callInBatches(context, token, 'send_task', tasksOf(share(SHORT_TASKS), { task: 't' }));
    return async (isOver) => {
      const request = { method: 'DELETE', path: `/api/networks/${network_id}`, token: mallory.userToken };
      const { status } = await ask(hub, request);
      const end = performance.now() + REMOVAL_MS;
      while (!isOver() || performance.now() < end) await after(CHECK_MS);
      return status === 200 ? [] : [`deleting a network returned ${status}`];
    };
  },
};
