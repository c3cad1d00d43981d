// The types of an MCP method call and its result, and the only path from server/mcp to an operation.
import type { Caller } from '../domain/accounts/caller.ts';
import { permissionDenied } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { type AnyOperation, perform } from '../operations/operation.ts';
import type { RequestId, RpcRequest } from './envelope.ts';
import type { Era, Headers } from './eras.ts';

export type Call = {
  hub: Hub;
  caller: Caller;
  headers: Headers;
  era: Era;
  id: RequestId;
  params: RpcRequest['params'];
};

/** A delayed response. */
export type Slow<Answer> = {
  /** A stream opens immediately; otherwise nothing is sent before the response is ready. */
  isStream: boolean;
  /** The number of connection slots it takes: one per call of a batch or per subscribed resource. */
  calls?: number;
  /** The progress message to send after this many seconds, if the client requested progress. */
  progress?: (seconds: number) => string;
  /** Resolves at the latest when `gone` is aborted. `send` puts a message on the stream before the response. */
  run(gone: AbortSignal, send: (message: string) => void, room: Room): Promise<Answer>;
};

/** The response memory that is exhausted. */
export type Full = 'user' | 'hub';

/** The memory for the responses of several calls, from construction until all are sent. */
export type Room = {
  /** Takes the bytes, or returns which limit they exceed. A small response is always accepted. */
  take(bytes: number): Full | undefined;
  /** Aborted under memory pressure: waits then end immediately. */
  pressed: AbortSignal;
  /** Whether the client has disconnected. */
  isAbandoned(): boolean;
  /** Runs the work within the concurrency limit of the user. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** A result as JSON, immediate or delayed. */
export type Outcome = string | Slow<string>;

/** Runs an operation; /mcp accepts network tokens only. */
export function ask<Result extends object>(
  hub: Hub,
  caller: Caller,
  operation: AnyOperation<Result>,
  input: object,
): Promise<Result> {
  if (caller.token_kind === 'user')
    throw permissionDenied('tools require a network token (ntok_…); this is a user token');
  return perform(operation, hub, caller, input);
}
