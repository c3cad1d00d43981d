// Fifty concurrent operations on one task: each verb has exactly one winner, and the task is left in the state of the
// winner.
import { type RestClient, type RestReply, register, restClient } from '../../../test/support/http/rest-client.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../test/support/json.ts';
import { readStoredData } from '../../../test/support/store/stored-data.ts';
import { complaint, expectSame, type Row } from '../row.ts';

const AT_ONCE = 50;

type Racer = (rest: RestClient, id: string, lane: number) => Promise<RestReply>;
type Race = {
  name: string;
  racers: readonly [Racer, ...Racer[]];
  /** Brings a new task into the initial state. */
  prepare?: Racer;
  /** The verbs that can win once. Others can win before. */
  isWinnersResult: (lane: number) => boolean;
  ends: readonly string[];
};

const cancel: Racer = (rest, id) => rest.post(`/api/tasks/${id}/cancel`, { reason: 'raced' });
const reply: Racer = (rest, id, lane) =>
  rest.post(`/api/tasks/${id}/reply`, { text: `done by ${lane}`, from_session: 'racer' });
const retry: Racer = (rest, id) => rest.post(`/api/tasks/${id}/retry`);
const reassign: Racer = (rest, id, lane) => rest.post(`/api/tasks/${id}/reassign`, { new_alias: `other-${lane}` });

const every = (): boolean => true;
const even = (lane: number): boolean => lane % 2 === 0;

const RACES: readonly [Race, ...Race[]] = [
  { name: 'cancel', racers: [cancel], isWinnersResult: every, ends: ['cancelled'] },
  { name: 'reply', racers: [reply], isWinnersResult: every, ends: ['replied'] },
  { name: 'retry', racers: [retry], prepare: cancel, isWinnersResult: every, ends: ['delivered'] },
  { name: 'cancel or reply', racers: [cancel, reply], isWinnersResult: every, ends: ['cancelled', 'replied'] },
  { name: 'cancel and reassign', racers: [cancel, reassign], isWinnersResult: even, ends: ['cancelled'] },
];

export const races: Row = {
  name: 'races',
  promise: 'of many concurrent transitions of one task, one wins',
  test: (rounds) => `${rounds} rounds of ${AT_ONCE} concurrent cancels, replies, retries and reassigns of one task`,
  target: 'one winner in each round',
  amounts: { least: 10, quick: 100, long: 2_000 },
  run: async (trial) => {
    const hub = await trial.start();
    const { networkToken } = await register(hub.url);
    const rest = restClient(hub.url, networkToken);
    const complaints: string[] = [];
    for (let round = 0; round < trial.amount; round++)
      complaints.push(...(await run(rest, RACES[round % RACES.length] ?? RACES[0], round)));
    complaints.push(...(await duplicatesInInboxes(hub.data)));
    return {
      figure: `${trial.amount - complaints.length} rounds with one winner`,
      complaints: complaint('not one winner', complaints),
    };
  },
};

async function run(
  rest: RestClient,
  { name, racers, prepare, isWinnersResult, ends }: Race,
  round: number,
): Promise<string[]> {
  const { body } = await rest.post('/api/tasks', {
    alias: `racer-${round}`,
    task: `race ${round}`,
    from_session: `boss-${round}`,
  });
  const id = textOf(body, 'task_id');
  await prepare?.(rest, id, 0);
  const responses = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, lane) => (racers[lane % racers.length] ?? racers[0])(rest, id, lane)),
  );
  const won = responses.map(({ status }, lane) => ({ lane, status })).filter(({ status }) => status === 200);
  const unexpected = responses.filter(({ status, body: refused }) => status !== 200 && !isRefusal(status, refused));
  const shown = await rest.get(`/api/tasks/${id}`);
  const task = objectOf(shown.body, 'task');
  const others = won.filter(({ lane }) => !isWinnersResult(lane)).length;
  return [
    ...expectSame(`${name}, winners`, won.length - others, 1),
    ...expectSame(`${name}, other responses`, unexpected.length, 0),
    ...expectSame(`${name}, one of its ends`, ends.includes(textOf(task, 'status')), true),
    ...expectSame(`${name}, attempts`, task.attempt, 1 + others + (name === 'retry' ? 1 : 0)),
    ...expectSame(
      `${name}, transitions stored`,
      listOf(shown.body, 'events').length,
      1 + won.length + (prepare === undefined ? 0 : 1),
    ),
  ];
}

function isRefusal(status: number, { error }: JsonObject): boolean {
  return status === 400 && /^task (is terminal|status is \w+, not retryable)$/.test(String(error));
}

/** Every live task is in exactly one inbox, and no other task is in any. */
async function duplicatesInInboxes(data: string): Promise<string[]> {
  const stored = await readStoredData(data);
  const idsOf = async (sql: string): Promise<string> => JSON.stringify(await stored.rows(sql));
  const live = await idsOf("SELECT task_id FROM tasks WHERE status = 'delivered' ORDER BY task_id");
  const waiting = await idsOf(
    "SELECT t.task_id FROM messages m JOIN tasks t USING (task_seq) WHERE m.type = 'task' AND m.acked_at IS NULL AND m.withdrawn_at IS NULL ORDER BY t.task_id",
  );
  stored.close();
  return live === waiting ? [] : ['the live tasks are not those in the inboxes'];
}
