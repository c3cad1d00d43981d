// What retention deletes, and what a reader from before the retained events receives. Rows of a stopped hub get random
// ages. Which of them must be deleted is computed here, independently of the hub's rules.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EventReader, openEvents } from '../../../test/support/http/event-reader.ts';
import { mcpClient } from '../../../test/support/http/mcp-client.ts';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { listOf, textOf } from '../../../test/support/json.ts';
import { type EventIds, eventIdsIn } from '../../../test/support/store/stored-data.ts';
import type { Draws } from '../../support/random.ts';
import { type Hub, run, until } from '../hub.ts';
import { complaint, expectSame, type Row, type Trial } from '../row.ts';
import { DAY_MS, HOUR_MS, MADE, mustGo, type Rows, rowsIn } from './retention-model.ts';

const TASKS = 24;
const OLDEST_MS = 800 * DAY_MS;
const TIMEOUT_MS = 5_000;
const TOO_OLD = 'events since the last event id are no longer available';
const UNKNOWN = 'the last event id is not from this hub';

export const retention: Row = {
  name: 'retention',
  promise: 'finished data is deleted at its age, nothing else is, and a reader from before is notified',
  test: (hubs) =>
    `${hubs} hubs with randomly aged rows, pruned, and streams resumed from before, at and after the first retained event`,
  target: '0 deleted too early, 0 left, resync or every event once',
  amounts: { least: 1, quick: 3, long: 50 },
  run: async (trial) => {
    const totals = { removed: 0, complaints: [] as string[] };
    for (let number = 0; number < trial.amount; number++) {
      const { removed, complaints } = await growOld(trial);
      totals.removed += removed;
      totals.complaints.push(...complaints);
    }
    return {
      figure: `${totals.removed} rows deleted, ${totals.complaints.length} complaints`,
      complaints: complaint('retention', totals.complaints),
    };
  },
};

async function growOld(trial: Trial): Promise<{ removed: number; complaints: string[] }> {
  const first = await trial.start();
  const { data } = first;
  const { networkToken: token } = await register(first.url);
  await fill(first, token);
  await first.kill('SIGTERM');
  const file = join(data, 'agenthub.db');
  const oldest = makeOld(file, trial.draws);
  const before = rowsIn(file);
  const gone = mustGo(before, Date.now());
  const hub = await trial.start({ data });
  const { code } = await run(trial.command, ['prune', '--yes', '--data', data]).ended;
  const complaints = [...expectSame('prune ended with', code, 0), ...differences(before, rowsIn(file), gone)];
  complaints.push(...(await resume(trial, hub, token, { file, oldest, ids: await eventIdsIn(data) })));
  await hub.kill('SIGTERM');
  return { removed: gone.size, complaints };
}

/** Tasks, replies, messages and completions in every state, read and unread, with and without a reader. */
async function fill({ url }: Hub, token: string): Promise<void> {
  const mcp = mcpClient(url, token);
  for (const alias of ['boss', 'builder'])
    await mcp.call('report_status', { resume_id: `r-${alias}`, alias, status: 'idle' });
  for (let number = 0; number < TASKS; number++) {
    const sender = number % 2 === 0 ? 'boss' : 'passer-by';
    const task = { alias: 'builder', task: `task ${number}`, from_session: sender };
    const task_id = textOf(await mcp.call('send_task', task), 'task_id');
    if (number % 4 < 2)
      await mcp.call('send_reply', {
        alias: sender,
        text: `done ${number}`,
        in_reply_to: task_id,
        from_session: 'builder',
      });
    else if (number % 4 === 2) await mcp.call('cancel_task', { task_id, from_session: sender });
    await mcp.call('send_message', {
      alias: number % 3 === 0 ? 'nobody' : 'builder',
      message: `message ${number}`,
      from_session: sender,
    });
    if (number % 5 === 0)
      await mcp.call('report_completion', { alias: 'builder', task: `chore ${number}`, result: 'done' });
  }
  for (const alias of ['boss', 'builder']) {
    const messages = listOf(await mcp.call('get_inbox', { alias, limit: 100 }), 'messages');
    for (const [number, { id }] of messages.entries())
      if (number % 2 === 0) await mcp.call('ack_inbox', { alias, message_id: id });
  }
}

// A settled task that is kept only for its reply, which nobody has read: chance must not leave a hub without one.
const WAITED_FOR = `UPDATE tasks SET created_at = created_at - ${OLDEST_MS}, completed_at = completed_at - ${OLDEST_MS}
  WHERE task_seq = (SELECT max(task_seq) FROM messages WHERE alias = 'boss' AND type = 'reply' AND acked_at IS NULL)`;

/** Two of three rows by a random time, and all events up to a random one, whose number is returned. */
function makeOld(file: string, draws: Draws): number {
  const database = new DatabaseSync(file);
  for (const { table, key, columns } of MADE) {
    const keys = database
      .prepare(`SELECT ${key} AS key FROM ${table}`)
      .all()
      .map((row) => Number(row.key));
    const age = database.prepare(
      `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} - ?1`).join(', ')} WHERE ${key} = ?2`,
    );
    for (const row of keys.filter(() => draws.below(3) < 2)) age.run(Math.floor(draws.below(OLDEST_MS)), row);
  }
  database.exec(WAITED_FOR);
  const seqs = eventsIn(database);
  const oldest = seqs[5 + Math.floor(draws.below(seqs.length - 15))] ?? 0;
  database.exec(`UPDATE events SET created_at = created_at - ${25 * HOUR_MS} WHERE seq <= ${oldest};
    UPDATE task_events SET created_at = created_at - ${25 * HOUR_MS} WHERE event_seq <= ${oldest}`);
  database.close();
  return oldest;
}

// A row of task_events that is two events has the number of the second. An event whose message was deleted is not
// replayed.
const EVENTS = `SELECT seq FROM events WHERE message_seq IS NULL OR message_seq IN (SELECT message_seq FROM messages)
  UNION ALL SELECT event_seq - (alias IS NOT NULL) FROM task_events WHERE is_event = 1
  UNION ALL SELECT event_seq FROM task_events WHERE alias IS NOT NULL ORDER BY 1`;

function eventsIn(database: DatabaseSync): number[] {
  return database
    .prepare(EVENTS)
    .all()
    .map(({ seq }) => Number(seq));
}

function differences(before: Rows, after: Rows, gone: ReadonlySet<string>): string[] {
  const removed = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...complaint(
      'removed although it is to stay',
      removed.filter((name) => !gone.has(name)),
    ),
    ...complaint(
      'still there',
      [...gone].filter((name) => after.has(name)),
    ),
  ];
}

type Stored = { file: string; oldest: number; ids: EventIds };

async function resume(trial: Trial, hub: Hub, token: string, { file, oldest, ids }: Stored): Promise<string[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  const kept = eventsIn(database).filter((seq) => seq > oldest);
  database.close();
  const tooOld = Math.max(0, oldest - 1 - Math.floor(trial.draws.below(oldest - 1)));
  const within = kept[Math.floor(trial.draws.below(kept.length))] ?? oldest;
  return [
    ...(await expectResync(hub, token, ids.of(tooOld), TOO_OLD)),
    ...(await expectResync(hub, token, 'from-another-hub', UNKNOWN)),
    ...(await expectReplay(hub, token, ids, oldest, kept)),
    ...(await expectReplay(
      hub,
      token,
      ids,
      within,
      kept.filter((seq) => seq > within),
    )),
  ];
}

/** Notified at once, and live from then on. */
async function expectResync(hub: Hub, token: string, lastEventId: string, reason: string): Promise<string[]> {
  const stream = await openEvents(`${hub.url}/events/visitor`, token, { lastEventId });
  await until(() => stream.lastEventId() !== undefined, TIMEOUT_MS).catch(() => {});
  await restClient(hub.url, token).post('/api/messages', {
    alias: 'visitor',
    message: `after ${lastEventId}`,
    from_session: `boss-${lastEventId}`,
  });
  const live = await stream.next('new_message').then(
    () => [],
    () => ['no live event came after the resync'],
  );
  const [first] = withIds(stream);
  await stream.close();
  return first?.name === 'resync'
    ? [...expectSame('the reason', first.data.reason, reason), ...live]
    : ['a reader was resumed without resync', ...live];
}

async function expectReplay(
  hub: Hub,
  token: string,
  ids: EventIds,
  from: number,
  wanted: readonly number[],
): Promise<string[]> {
  const stream = await openEvents(`${hub.url}/events`, token, { lastEventId: ids.of(from) });
  await until(() => ids.seqIn(stream.lastEventId()) >= (wanted.at(-1) ?? from), TIMEOUT_MS).catch(() => {});
  const names = withIds(stream).map(({ name }) => name);
  const came = withIds(stream)
    .map(({ id }) => ids.seqIn(id))
    .filter((seq) => seq <= (wanted.at(-1) ?? from));
  await stream.close();
  if (names.includes('resync')) return [`a reader at ${from} got a resync, although its events are retained`];
  return expectSame(`events replayed after ${from}`, came.join(' '), wanted.join(' '));
}

function withIds(stream: EventReader) {
  return stream.arrived().filter(({ id }) => id !== undefined);
}
