// Waits that survive a restart of the hub. The first event of a stream is empty, and its id contains the whole call.
// When the stream breaks, the client connects again with this id, and any process of the hub can continue the wait.
import { SECOND_MS } from '../domain/time/time.ts';
import type { Catalogue } from './catalogue.ts';
import { INVALID_REQUEST, isObject, type RequestId, RpcError } from './envelope.ts';
import type { Era, Headers } from './eras.ts';

/** The first revision whose clients accept an event without data. In the modern era, streams are not resumed. */
const FIRST_WITH_EMPTY_EVENTS = '2025-11-25';

/** Clients send it back in a header, and all headers together have 16 KiB. */
const MAX_LENGTH = 4_000;

export type ResumableWait = {
  id: RequestId;
  tool: string;
  given: object;
  /** The time of the hub at which the wait ends, and its whole length in seconds. */
  endsAt: number;
  total: number;
  progressToken: RequestId | undefined;
};

export function isResumedBy({ era, headers }: { era: Era; headers: Headers }): boolean {
  const version = headers['mcp-protocol-version'];
  return era === 'legacy' && typeof version === 'string' && version >= FIRST_WITH_EMPTY_EVENTS;
}

/** Undefined if the call is too long to be resumed. */
export function eventIdOf(wait: ResumableWait): string | undefined {
  const id = Buffer.from(JSON.stringify(wait)).toString('base64url');
  return id.length > MAX_LENGTH ? undefined : id;
}

/** The call with the time that is left, as the client would send it. The client may have changed it. */
export function resumedCall({ tools }: Catalogue, eventId: string, now: number): object {
  const wait = parsed(eventId);
  const waitsBy = tools.find(({ name }) => name === wait.tool)?.waitsBy;
  if (waitsBy === undefined || !isObject(wait.given) || typeof wait.endsAt !== 'number') throw unknownEvent();
  const left = Math.max(1, Math.ceil((wait.endsAt - now) / SECOND_MS));
  return {
    jsonrpc: '2.0',
    id: wait.id,
    method: 'tools/call',
    params: {
      name: wait.tool,
      arguments: { ...wait.given, [waitsBy]: Math.min(left, Number(wait.total) || 1) },
      ...(wait.progressToken !== undefined && { _meta: { progressToken: wait.progressToken } }),
    },
  };
}

function parsed(eventId: string): Record<string, unknown> {
  try {
    const wait: unknown = JSON.parse(Buffer.from(eventId, 'base64url').toString());
    if (isObject(wait)) return wait;
  } catch {
    // Not an id of this hub.
  }
  throw unknownEvent();
}

function unknownEvent(): RpcError {
  return new RpcError(INVALID_REQUEST, 'Last-Event-ID must be the id of an event of this hub');
}
