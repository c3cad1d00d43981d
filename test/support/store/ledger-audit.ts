// Compares the ledger of a load with the state of the hub after it was killed and restarted.
import type { McpClient } from '../http/mcp-client.ts';
import type { RestClient } from '../http/rest-client.ts';
import { type JsonObject, listOf, textOf } from '../json.ts';
import { type Ledger, mailboxOf, senderOf, steererOf, WORKERS, workerOf } from '../mixed-load.ts';

/** The hub's state for one round, with all inboxes read completely. */
export type Shown = {
  tasks: JsonObject[];
  steered: JsonObject[];
  workInboxes: JsonObject[];
  replies: JsonObject[];
  mailbox: JsonObject[];
};

export async function readRound(mcp: McpClient, rest: RestClient, round: string): Promise<Shown> {
  const tasks = await listTasks(rest, `from_name=${senderOf(round)}`);
  const steered = await listTasks(rest, `from_name=${steererOf(round)}`);
  const [replies, mailbox, ...workInboxes] = await Promise.all(
    [senderOf(round), mailboxOf(round), ...WORKERS.map((worker) => workerOf(round, worker))].map((alias) =>
      readInboxEmpty(mcp, alias),
    ),
  );
  return { tasks, steered, replies: replies ?? [], mailbox: mailbox ?? [], workInboxes: workInboxes.flat() };
}

/** All pages. */
export async function listTasks(rest: RestClient, query: string): Promise<JsonObject[]> {
  const tasks: JsonObject[] = [];
  for (let cursor: unknown = ''; cursor !== undefined; ) {
    const { body } = await rest.get(`/api/tasks?limit=500&${query}${cursor === '' ? '' : `&cursor=${String(cursor)}`}`);
    tasks.push(...listOf(body, 'tasks'));
    cursor = body.next_cursor;
  }
  return tasks;
}

/** Acknowledging what was read makes room for the rest. */
async function readInboxEmpty(mcp: McpClient, alias: string): Promise<JsonObject[]> {
  const read: JsonObject[] = [];
  for (;;) {
    const messages = listOf(await mcp.call('get_inbox', { alias, limit: 100 }), 'messages');
    if (messages.length === 0) return read;
    read.push(...messages);
    await Promise.all(messages.map((message) => mcp.call('ack_inbox', { alias, message_id: textOf(message, 'id') })));
  }
}

/** Every broken promise as text, or an empty list. */
export function complaintsOf(ledger: Ledger, shown: Shown): string[] {
  const tasks = new Map(shown.tasks.map((task) => [task.task_id, task]));
  const steered = new Map(
    shown.steered.map(({ task_id, status, to_name, attempt }) => [
      task_id,
      `${String(status)} ${String(to_name)} ${String(attempt)}`,
    ]),
  );
  const mailbox = new Map(shown.mailbox.map((message) => [message.id, message]));
  const idsIn = (status: string): unknown[] =>
    shown.tasks.filter((task) => task.status === status).map(({ task_id }) => task_id);
  const checks: [complaint: string, culprits: unknown[]][] = [
    ['an acknowledged task is missing or another', lost(ledger.tasks, (id) => tasks.get(id)?.content)],
    ['an acknowledged message is missing or another', lost(ledger.messages, (id) => mailbox.get(id)?.content)],
    ['an acknowledged reply is missing or another', lost(ledger.replies, (id) => tasks.get(id)?.result)],
    ['an acknowledged cancel, retry or reassignment is missing', lost(ledger.steered, (id) => steered.get(id))],
    ['a task was stored twice', repeated(shown.tasks.map(({ content }) => content))],
    ['a message came twice', repeated(shown.mailbox.map(({ content }) => content))],
    ['a task waits twice in an inbox', repeated(shown.workInboxes.map(({ task_id }) => task_id))],
    ['a task from the event stream does not exist', [...ledger.received].filter((id) => !tasks.has(id))],
    [
      'an acknowledged task message came back',
      shown.workInboxes.map(({ id }) => id).filter((id) => ledger.acked.has(String(id))),
    ],
    [
      'a task and its inbox message disagree',
      difference(
        idsIn('delivered'),
        shown.workInboxes.map(({ task_id }) => task_id),
      ),
    ],
    [
      'a replied task and its reply disagree',
      difference(
        idsIn('replied'),
        shown.replies.map(({ in_reply_to }) => in_reply_to),
      ),
    ],
  ];
  return checks.flatMap(([complaint, culprits]) => culprits.map((culprit) => `${complaint}: ${String(culprit)}`));
}

function lost(acknowledged: ReadonlyMap<string, string>, find: (id: string) => unknown): string[] {
  return [...acknowledged].filter(([id, text]) => find(id) !== text).map(([id]) => id);
}

function repeated(items: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return items.filter((item) => seen.has(item) || !seen.add(item));
}

/** The items that one list has and the other lacks, or has less often. */
function difference(one: readonly unknown[], other: readonly unknown[]): unknown[] {
  const both = new Set(one).intersection(new Set(other));
  return [...one, ...other].filter((item) => !both.has(item)).concat(repeated(one), repeated(other));
}
