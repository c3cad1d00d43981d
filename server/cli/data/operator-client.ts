// Sends requests to the hub that runs on a data directory, through its operator socket.
import { HubError } from '../../domain/errors.ts';
import { askOperator } from '../../serve/operator-socket.ts';
import { CommandError, EXIT } from '../exit-codes.ts';

export type Question = { operation: string; input: object };

const NOT_RUNNING: readonly unknown[] = ['ENOENT', 'ECONNREFUSED'];

/**
 * Returns undefined if no hub is running. Throws a HubError if the hub refuses the operation, and a CommandError if the
 * signal aborts it.
 */
export async function askThroughSocket<Result extends object>(
  data: string,
  question: Question,
  signal?: AbortSignal,
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
    if (signal?.aborted) throw new CommandError(`the hub that runs on ${data} does not respond`);
    throw new CommandError(
      `cannot reach the hub that runs on ${data} (${String(code ?? error)}); run this as the same user as the hub, or stop the hub first`,
      EXIT.denied,
    );
  }
}
