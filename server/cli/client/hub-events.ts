// Follows an event stream of the hub across restarts and broken connections. Resumes after the last received event.
import type { EventData } from '../../domain/events.ts';
import type { CommandError } from '../exit-codes.ts';
import { note } from '../output.ts';
import { backoffDelays } from './backoff.ts';
import {
  type HubClient,
  HubRefused,
  HubUnreachable,
  isTransient,
  MAX_ANSWER_CHARACTERS,
  UnexpectedAnswer,
} from './hub-client.ts';

/** The data of an event. On the stream of a whole network, `alias` is the recipient. */
export type HubEvent =
  | (EventData & { alias?: string })
  | { type: 'heartbeat'; time: string }
  | { type: 'resync'; reason: string; id: string };

/**
 * Yields every event, including heartbeats. The first event of each connection is an immediate heartbeat. Ends when
 * the signal is aborted. Throws if the hub is unreachable at first; after that, only a final refusal ends the stream.
 * Passing troubles are told to `onTrouble`, once each.
 */
export async function* followEvents(
  hub: HubClient,
  path: string,
  signal: AbortSignal,
  onTrouble: (line: string) => void = note,
): AsyncGenerator<HubEvent, void> {
  const position: Position = { lastEventId: undefined };
  const pause = backoffDelays();
  let isNoted = false;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      for await (const event of connection(hub, path, signal, position)) {
        pause.reset();
        isNoted = false;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!mayRetry(error) || (isFirst && error instanceof HubUnreachable)) throw error;
      if (!isNoted && !(error instanceof HubUnreachable)) onTrouble(`${error.message}; retrying`);
      isNoted = true;
    }
    await pause.next(signal);
  }
}

const FINAL_STATUSES: readonly number[] = [400, 401, 403];

// While a hub restarts, a proxy may return any status and any page. Only a refusal from the hub itself is final.
function mayRetry(error: unknown): error is CommandError {
  return error instanceof HubRefused ? !FINAL_STATUSES.includes(error.status) : isTransient(error);
}

type Position = { lastEventId: string | undefined };

async function* connection(
  hub: HubClient,
  path: string,
  signal: AbortSignal,
  position: Position,
): AsyncGenerator<HubEvent, void> {
  const body = await hub.open(path, { lastEventId: position.lastEventId, signal });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of unbroken(body)) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_ANSWER_CHARACTERS) throw new UnexpectedAnswer(hub.url, 200);
    for (const block of blocks) {
      const event = readBlock(block, position);
      if (event !== undefined) yield event;
    }
  }
}

// A stream that breaks is treated like one that ends: the caller reconnects.
async function* unbroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch {
    return;
  }
}

// Per the server-sent events standard, an id counts even in a block without data, which is not an event.
function readBlock(block: string, position: Position): HubEvent | undefined {
  const lines = block.split('\n').map((line) => line.split(/: ?(.*)/s, 2));
  const field = (wanted: string): string | undefined => lines.findLast(([name]) => name === wanted)?.[1];
  position.lastEventId = field('id') ?? position.lastEventId;
  const data = field('data');
  return data === undefined ? undefined : JSON.parse(data);
}
