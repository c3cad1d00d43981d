// Sixteen clients of every kind that load one hub, and a ledger of everything it acknowledged to them. They run until
// the hub stops. Requests in flight at that moment may or may not have succeeded, and the ledger claims neither.
import { openEvents } from './http/event-reader.ts';
import { type McpClient, mcpClient, ToolError } from './http/mcp-client.ts';
import { type RestClient, restClient } from './http/rest-client.ts';
import { listOf, textOf } from './json.ts';

export type Ledger = {
  /** All names of this load contain this word, so that rounds cannot be confused. */
  round: string;
  /** Acknowledged sends: their content, by the returned id. */
  tasks: Map<string, string>;
  messages: Map<string, string>;
  /** Acknowledged replies: their text, by task id. */
  replies: Map<string, string>;
  /** Acknowledged acknowledgements. */
  acked: Set<string>;
  /**
   * The tasks of the controller: state, addressee and attempt of the last acknowledged operation, unless another was
   * requested since.
   */
  steered: Map<string, string>;
  /** Tasks that appeared on the event stream. */
  received: Set<string>;
  /** How many requests were in flight when the hub stopped. */
  brokenOff: number;
};

export type Load = {
  ledger: Ledger;
  /** Resolves at the first response. */
  begun: Promise<void>;
  /** Resolves when every client has stopped. */
  over: Promise<void>;
};

type LoadClient = { mcp: McpClient; rest: RestClient; ledger: Ledger; worker: string };
type Client = (cli: LoadClient, turn: string) => Promise<void>;

export const WORKERS = ['w1', 'w2', 'w3'] as const;

export const workerOf = (round: string, worker: string) => `${worker}-${round}`;
export const senderOf = (round: string) => `boss-${round}`;
export const mailboxOf = (round: string) => `mail-${round}`;
export const steererOf = (round: string) => `steerer-${round}`;

const CLIENTS: readonly Client[] = [
  sendTask,
  sendTask,
  sendTask,
  controlTask,
  postTask,
  postTask,
  sendMessage,
  sendMessage,
  work,
  work,
  work,
  work,
  reportStatus,
  reportStatus,
  readLists,
];

/** Fifteen clients that send requests and one that listens. */
export function startLoad(url: string, token: string, round: string): Load {
  const ledger = emptyLedger(round);
  const begun = Promise.withResolvers<void>();
  const clients = CLIENTS.map((client, index) => {
    const worker = workerOf(round, WORKERS[index % WORKERS.length] ?? WORKERS[0]);
    const cli = { mcp: mcpClient(url, token), rest: restClient(url, token), ledger, worker };
    return repeat(ledger, begun.resolve, (turn) => client(cli, `${index}-${turn}`));
  });
  return { ledger, begun: begun.promise, over: Promise.all([...clients, listen(url, token, ledger)]).then(() => {}) };
}

export function emptyLedger(round: string): Ledger {
  return {
    round,
    tasks: new Map(),
    messages: new Map(),
    replies: new Map(),
    acked: new Set(),
    steered: new Map(),
    received: new Set(),
    brokenOff: 0,
  };
}

async function repeat(ledger: Ledger, onAnswer: () => void, act: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; ; turn++) {
    try {
      await act(turn);
      onAnswer();
    } catch (error) {
      if (!isGone(error)) throw error;
      ledger.brokenOff++;
      return;
    }
  }
}

/** What fetch throws when the hub is gone while connecting, waiting or reading. */
function isGone(error: unknown): boolean {
  return error instanceof TypeError && (error.message === 'fetch failed' || error.message === 'terminated');
}

async function sendTask({ mcp, ledger, worker }: LoadClient, turn: string): Promise<void> {
  const task = `task ${ledger.round} ${turn}`;
  const response = await mcp.call('send_task', { alias: worker, task, from_session: senderOf(ledger.round) });
  ledger.tasks.set(textOf(response, 'task_id'), task);
}

async function postTask({ rest, ledger, worker }: LoadClient, turn: string): Promise<void> {
  const task = `task ${ledger.round} ${turn}`;
  const { status, body } = await rest.post('/api/tasks', {
    alias: worker,
    task,
    from_session: senderOf(ledger.round),
    priority: 'high',
  });
  if (status !== 200) throw new Error(`POST /api/tasks returned ${status} ${JSON.stringify(body)}`);
  ledger.tasks.set(textOf(body, 'task_id'), task);
}

/** Cancels, retries and reassigns a task whose alias has no worker. */
async function controlTask({ mcp, ledger }: LoadClient, turn: string): Promise<void> {
  const [alias, other, from_session] = [`first-${ledger.round}`, `second-${ledger.round}`, steererOf(ledger.round)];
  const task_id = textOf(
    await mcp.call('send_task', { alias, task: `steered ${ledger.round} ${turn}`, from_session }),
    'task_id',
  );
  ledger.steered.set(task_id, `delivered ${alias} 1`);
  const moves: [tool: string, args: object, makes: string][] = [
    ['reassign_task', { new_alias: other }, `delivered ${other} 2`],
    ['cancel_task', {}, `cancelled ${other} 2`],
    ['retry_task', {}, `delivered ${other} 3`],
    ['cancel_task', {}, `cancelled ${other} 3`],
  ];
  for (const [tool, args, makes] of moves) {
    ledger.steered.delete(task_id);
    await mcp.call(tool, { task_id, from_session, ...args });
    ledger.steered.set(task_id, makes);
  }
}

async function sendMessage({ mcp, ledger }: LoadClient, turn: string): Promise<void> {
  const message = `message ${ledger.round} ${turn}`;
  const response = await mcp.call('send_message', {
    alias: mailboxOf(ledger.round),
    message,
    from_session: senderOf(ledger.round),
  });
  ledger.messages.set(textOf(response, 'message_id'), message);
}

/** Takes the first task of the inbox. Every other one is only started, and the rest are completed. */
async function work({ mcp, ledger, worker }: LoadClient, turn: string): Promise<void> {
  const [task] = listOf(await mcp.call('get_inbox', { alias: worker, limit: 1 }), 'messages');
  if (task === undefined) return;
  const id = textOf(task, 'id');
  await mcp.call('ack_inbox', { alias: worker, message_id: id });
  ledger.acked.add(id);
  if (Number(turn.split('-')[1]) % 2 === 0) return;
  await reply(mcp, ledger, worker, id, `done ${id} by ${turn}`);
}

/** Two workers of one inbox can take the same task. The second gets an error, which is also a response. */
async function reply(mcp: McpClient, ledger: Ledger, worker: string, id: string, text: string): Promise<void> {
  try {
    await mcp.call('send_reply', { alias: senderOf(ledger.round), text, in_reply_to: id, from_session: worker });
    ledger.replies.set(id, text);
  } catch (error) {
    if (!(error instanceof ToolError && error.error === 'task is terminal')) throw error;
  }
}

async function reportStatus({ mcp, worker }: LoadClient, turn: string): Promise<void> {
  await mcp.call('report_status', { resume_id: `r-${worker}`, alias: worker, status: 'working', output: turn });
}

async function readLists({ mcp, rest, ledger }: LoadClient): Promise<void> {
  await mcp.call('list_tasks', { from_name: senderOf(ledger.round), limit: 100 });
  await rest.get('/api/status');
}

async function listen(url: string, token: string, ledger: Ledger): Promise<void> {
  const reader = await openEvents(`${url}/events/${workerOf(ledger.round, WORKERS[0])}`, token).catch(() => undefined);
  await reader?.ended;
  for (const { name, data } of reader?.arrived() ?? [])
    if (name === 'new_task') ledger.received.add(textOf(data, 'task_id'));
}
