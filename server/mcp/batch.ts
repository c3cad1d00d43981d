// Runs the calls of a batch: they start in order, one at a time, while earlier waits continue. Their responses share a
// byte budget and the hub's memory for responses. When either is exhausted, a call does not run and returns an error.
import { MAX_BATCH_ANSWER_BYTES } from '../domain/limits.ts';
import type { Full, Late, LateAnswer, Room } from './late-answer.ts';

/** The budget that is exhausted. */
export type Refusal = 'batch' | Full;

export type BatchCall = {
  /** Resolves when the call has started, with its answer or how to wait for it. */
  begin(): Promise<string | Pick<Late<LateAnswer>, 'run'>>;
  /** The entry of a call that exceeds a budget. */
  refuse(why: Refusal): string;
};

type Refuse = BatchCall['refuse'];
type Entry = string | Promise<string>;

/**
 * Returns the entries in the order of the calls. After the client disconnects, no further calls run. `calls` is
 * emptied, so that a waiting call does not keep the input of others in memory.
 */
export async function runBatch(calls: BatchCall[], gone: AbortSignal, room: Room): Promise<string[]> {
  const budget = openBudget(room);
  const ending = AbortSignal.any([gone, budget.spent, room.pressed]);
  const entries = await room.inTurn(() => beginInOrder(calls, { room, budget, ending }));
  return Promise.all(entries);
}

type Running = { room: Room; budget: Budget; ending: AbortSignal };

async function beginInOrder(calls: BatchCall[], { room, budget, ending }: Running): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let call = calls.shift(); call !== undefined && !room.isAbandoned(); call = calls.shift()) {
    const { refuse } = call;
    const why = budget.lacking();
    const begun = why === undefined ? await call.begin() : refuse(why);
    if (typeof begun === 'string') entries.push(why === undefined ? budget.take(begun, refuse) : begun);
    else
      entries.push(begun.run(ending, () => {}, NO_ROOM).then(({ pieces }) => budget.takeLate(pieces.join(''), refuse)));
    if (typeof begun === 'string') await room.pace(begun.length);
  }
  return entries;
}

/** The budget of the batch counts the answers of its calls. */
const NO_ROOM: Room = {
  take: () => undefined,
  pressed: new AbortController().signal,
  inTurn: (work) => work(),
  pace: async () => {},
  isAbandoned: () => false,
};

/** Reserved for immediate responses, so that every completed write, whose response is smaller, can be reported. */
const RESERVED_BYTES = 64 * 1024;

type Budget = ReturnType<typeof openBudget>;

function openBudget(room: Pick<Room, 'take'>) {
  const spent = new AbortController();
  let lacking: Refusal | undefined;
  let used = 0;
  const end = (why: Refusal): void => {
    lacking ??= why;
    spent.abort();
  };
  const takeUpTo = (max: number, answer: string, refuse: Refuse): string => {
    const bytes = Buffer.byteLength(answer);
    const why = used + bytes > max ? 'batch' : room.take(bytes);
    if (why === undefined) used += bytes;
    if (why !== undefined || used > MAX_BATCH_ANSWER_BYTES - RESERVED_BYTES) end(why ?? 'batch');
    return why === undefined ? answer : refuse(why);
  };
  return {
    /** The exhausted budget, if any: no further call may start. */
    lacking: () => lacking,
    /** Aborted when a budget is exhausted; waits then end immediately. */
    spent: spent.signal,
    take: (answer: string, refuse: Refuse) => takeUpTo(MAX_BATCH_ANSWER_BYTES, answer, refuse),
    takeLate: (answer: string, refuse: Refuse) => takeUpTo(MAX_BATCH_ANSWER_BYTES - RESERVED_BYTES, answer, refuse),
  };
}
