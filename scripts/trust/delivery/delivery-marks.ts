// kill -9 while agents are notified, fetch and acknowledge. A delivery mark that was shown never changes, and an
// acknowledged message never returns.
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type EventReader, openEvents } from '../../../test/support/http/event-reader.ts';
import { type McpClient, mcpClient } from '../../../test/support/http/mcp-client.ts';
import { type RestClient, register, restClient } from '../../../test/support/http/rest-client.ts';
import { type JsonObject, listOf, textOf } from '../../../test/support/json.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';

const AGENTS = ['ann', 'bob', 'cat'];
const MARKS = ['notified_at', 'fetched_at', 'acked_at'] as const;
const LONGEST_ROUND_MS = 400;
const SHORTEST_ROUND_MS = 100;
const TIMEOUT_MS = 10_000;

type Shown = {
  /** Marks by the id of their task or message, as first shown. */
  marks: Map<string, Partial<Record<(typeof MARKS)[number], unknown>>>;
  /** Ids of messages whose acknowledgement was confirmed. */
  acked: Set<string>;
  complaints: Set<string>;
  /** Where each agent first opened its stream. It resumes from there, so that pushed events are pushed again. */
  arrivals: Map<string, string>;
};

export const deliveryMarks: Row = {
  name: 'delivery-marks',
  promise: 'delivery marks that were shown survive kill -9',
  test: (kills) => `kill -9 under ${AGENTS.length} agents that listen, fetch and acknowledge, ${kills} times`,
  target: '0 marks changed, 0 acknowledged messages returned',
  amounts: { least: 6, quick: 10, long: 300 },
  run: async (trial) => {
    const data = join(trial.directory(), 'data');
    let hub = await trial.start({ data });
    const { networkToken: token } = await register(hub.url);
    const shown: Shown = { marks: new Map(), acked: new Set(), complaints: new Set(), arrivals: new Map() };
    for (let kill = 1; kill <= trial.amount; kill++) {
      await workUntilKilled(trial, hub, token, shown, kill);
      hub = await trial.start({ data });
      await audit(hub, token, shown);
    }
    const marks = [...shown.marks.values()].reduce((sum, each) => sum + Object.keys(each).length, 0);
    return {
      figure: `${marks} marks shown, ${shown.acked.size} acknowledged, ${shown.complaints.size} complaints`,
      complaints: [
        ...complaint('marks and messages', [...shown.complaints]),
        ...(shown.acked.size === 0 ? ['void: nothing was acknowledged'] : []),
      ],
    };
  },
};

async function workUntilKilled({ draws }: Trial, hub: Hub, token: string, shown: Shown, round: number): Promise<void> {
  const [mcp, rest] = [mcpClient(hub.url, token), restClient(hub.url, token)];
  const streams = await Promise.all(AGENTS.map((alias) => openFromArrival(hub, token, alias, shown)));
  const clients = [
    ...AGENTS.map((alias) => untilGone(() => work(mcp, alias, shown))),
    ...AGENTS.map((alias) => untilGone((turn) => sendTo(rest, alias, `${round}-${turn}`))),
    untilGone(() => look(rest, shown, 'limit=100')),
  ];
  await after(SHORTEST_ROUND_MS + draws.below(LONGEST_ROUND_MS - SHORTEST_ROUND_MS));
  await hub.kill('SIGKILL');
  await Promise.all([...clients, ...streams.map(({ ended }) => ended)]);
}

async function openFromArrival({ url }: Hub, token: string, alias: string, { arrivals }: Shown): Promise<EventReader> {
  const first = arrivals.get(alias);
  const stream = await openEvents(`${url}/events/${alias}`, token, first === undefined ? {} : { lastEventId: first });
  await until(() => stream.lastEventId() !== undefined, TIMEOUT_MS, 2);
  arrivals.set(alias, first ?? String(stream.lastEventId()));
  return stream;
}

/** fetch throws a TypeError when the other side is gone. */
async function untilGone(act: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; ; turn++) {
    try {
      await act(turn);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

/** Reads the inbox, and acknowledges its first item. */
async function work(mcp: McpClient, alias: string, { acked, complaints }: Shown): Promise<void> {
  const messages = listOf(await mcp.call('get_inbox', { alias, limit: 3 }), 'messages');
  for (const { id } of messages)
    if (acked.has(String(id))) complaints.add(`the acknowledged message ${String(id)} came again`);
  const [first] = messages;
  if (first === undefined) return;
  await mcp.call('ack_inbox', { alias, message_id: textOf(first, 'id') });
  acked.add(textOf(first, 'id'));
}

async function sendTo(rest: RestClient, alias: string, turn: string): Promise<void> {
  await rest.post('/api/tasks', { alias, task: `task ${turn} for ${alias}`, from_session: `boss-${turn}` });
  await rest.post('/api/messages', { alias, message: `message ${turn} for ${alias}`, from_session: `boss-${turn}` });
}

/** Tasks show all marks, messages only the acknowledgement. */
async function look(rest: RestClient, shown: Shown, query: string): Promise<void> {
  const { body: tasks } = await rest.get(`/api/tasks?${query}`);
  const { body: messages } = await rest.get(`/api/messages?${query}`);
  for (const task of listOf(tasks, 'tasks')) compare(shown, textOf(task, 'task_id'), task);
  for (const message of listOf(messages, 'messages'))
    if (message.type !== 'task') compare(shown, textOf(message, 'id'), message);
}

function compare({ marks, complaints }: Shown, id: string, now: JsonObject): void {
  const before = marks.get(id) ?? {};
  for (const mark of MARKS) {
    const value = now[mark] ?? undefined;
    if (before[mark] !== undefined && before[mark] !== value)
      complaints.add(`${mark} of ${id} went from ${String(before[mark])} to ${String(value)}`);
    else if (value !== undefined) before[mark] = value;
  }
  marks.set(id, before);
}

async function audit(hub: Hub, token: string, shown: Shown): Promise<void> {
  const [mcp, rest] = [mcpClient(hub.url, token), restClient(hub.url, token)];
  for (const task of await listTasks(rest, '')) compare(shown, textOf(task, 'task_id'), task);
  await look(rest, shown, 'limit=500');
  for (const alias of AGENTS) await work(mcp, alias, shown);
}
