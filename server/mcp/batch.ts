// The calls of a batch: they begin in their order, one after the other, and waits go on beside them. Their answers
// share a byte budget, and the room that the hub has for answers. A call that finds either used up is not run, and its
// entry is an error.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LARGE_ANSWER_BYTES, MAX_BATCH_ANSWER_BYTES } from '../domain/limits.ts';
import type { Full, Room } from './call.ts';

/** A call that has begun: its answer, or what gives it later. */
export type Begun = string | { wait(gone: AbortSignal): Promise<string> };

/** Whose budget leaves no room for a call. */
export type Refusal = 'batch' | Full;

export type BatchCall = {
  begin(): Promise<Begun>;
  /** The entry of a call that there is no room for. */
  refuse(why: Refusal): string;
};

type Refuse = BatchCall['refuse'];
type Entry = string | Promise<string>;

/**
 * The entries in the order of the calls; calls that nobody waits for any more are not run. `calls` is emptied, so that
 * a call that waits keeps no other's input.
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
    else entries.push(begun.wait(ending).then((late) => budget.takeLate(late, refuse)));
    if (typeof begun === 'string' && begun.length >= LARGE_ANSWER_BYTES) await nextTurn(); // several in a row would hold everybody up
  }
  return entries;
}

/** Kept free of late answers, so that what a call wrote never goes without its answer: that of a write is smaller. */
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
    /** Why no further call may begin. */
    lacking: () => lacking,
    /** Aborted when no further call may begin; waits then end at once. */
    spent: spent.signal,
    take: (answer: string, refuse: Refuse) => takeUpTo(MAX_BATCH_ANSWER_BYTES, answer, refuse),
    takeLate: (answer: string, refuse: Refuse) => takeUpTo(MAX_BATCH_ANSWER_BYTES - RESERVED_BYTES, answer, refuse),
  };
}
