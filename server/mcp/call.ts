// What a method is handed and what it answers with, and the one way from this room to an operation.
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

/** An answer that comes later than its question. */
export type Slow<Answer> = {
  /** A stream opens at once; otherwise nothing is sent before the answer is there. */
  isStream: boolean;
  /** How many places it takes: one for each call of a batch, and for each resource that is listened to. */
  calls?: number;
  /** The message to send, so many seconds after the beginning, to whoever wants to see that something is going on. */
  progress?: (seconds: number) => string;
  /** Answers, at the latest when `gone` is aborted. `send` puts a message on the stream before the answer. */
  run(gone: AbortSignal, send: (message: string) => void, room: Room): Promise<Answer>;
};

/** Whose room for answers is used up. */
export type Full = 'user' | 'hub';

/** The room for the answers of several calls, from when they are built until all are sent. */
export type Room = {
  /** Takes the bytes, or says whose room they exceed. A small answer always has room. */
  take(bytes: number): Full | undefined;
  /** Aborted when others need the room: waits then end at once. */
  pressed: AbortSignal;
  /** Whether nobody waits for the answers any more. */
  isAbandoned(): boolean;
  /** Runs the work when the user has few others running. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
};

/** A result as JSON, at once or later. */
export type Outcome = string | Slow<string>;

/** `perform`, for those who may: /mcp takes network tokens only. */
export function ask<Result extends object>(
  hub: Hub,
  caller: Caller,
  operation: AnyOperation<Result>,
  input: object,
): Promise<Result> {
  if (caller.token_kind === 'user') throw permissionDenied('tools take a network token (ntok_…), this is a user token');
  return perform(operation, hub, caller, input);
}
