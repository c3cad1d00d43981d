// Sends requests to the hub that runs on a data directory, through its operator socket.
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { askOperator } from '../../serve/operator-socket.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

export type Question = { operation: string; input: object };

/** After which time a hub is asked whether it responds during a long operation, and how long that may take. */
export type Patience = { beforeMs: number; answerMs: number };

/** A hub that hangs is given up after 30 seconds. */
const PATIENCE: Patience = { beforeMs: 20 * SECOND_MS, answerMs: 10 * SECOND_MS };

const NOT_RUNNING: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'];

/**
 * Returns undefined if no hub is running. Throws a HubError if the hub refuses the operation, and a CommandError if the
 * signal aborts it. Without a signal, an operation may take as long as it needs while the hub responds to others.
 */
export async function askThroughSocket<Result extends object>(
  data: string,
  question: Question,
  signal?: AbortSignal,
  patience = PATIENCE,
): Promise<Result | undefined> {
  if (signal !== undefined) return ask(data, question, signal);
  const [hanging, done] = [new AbortController(), new AbortController()];
  void watch(data, patience, done.signal).then((responds) => responds || hanging.abort());
  try {
    return await ask<Result>(data, question, hanging.signal);
  } finally {
    done.abort();
  }
}

/** Resolves to false once the hub does not respond, or to true when it is done or closes the connection. */
async function watch(data: string, { beforeMs, answerMs }: Patience, done: AbortSignal): Promise<boolean> {
  for (;;) {
    const late = await sleep(beforeMs, true, { signal: done, ref: false }).catch(() => false);
    if (!late) return true;
    const timeout = AbortSignal.timeout(answerMs);
    try {
      await askOperator(data, { operation: 'hub address', input: {} }, AbortSignal.any([done, timeout]));
    } catch {
      return done.aborted || !timeout.aborted;
    }
  }
}

async function ask<Result extends object>(
  data: string,
  question: Question,
  signal: AbortSignal,
): Promise<Result | undefined> {
  try {
    const { status, text } = await askOperator(data, question, signal);
    const answer = JSON.parse(text);
    if (status === 200) return answer;
    throw new HubError(String(answer.error), String(answer.message));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (NOT_RUNNING.includes(code)) return undefined;
    if (error instanceof HubError) throw error;
    if (signal.aborted) throw new CommandError(`the hub that runs on ${data} does not respond`);
    throw new CommandError(
      `cannot reach the hub that runs on ${data} (${String(code ?? error)}); run this as the same user as the hub, or stop the hub first`,
      EXIT.denied,
    );
  }
}
