// Late answers: those of calls that wait and of batches. server/http/late-responses.ts writes them to the client.

import type { ErrorCode } from './envelope.ts';

/** An answer that is not ready when the call returns. */
export type Late<Answer> = {
  /** What opens immediately, with keep-alives until the response is ready; undefined if nothing is sent before. */
  opens: 'stream' | 'JSON' | undefined;
  /** The id of the first event of a stream, with which a client can resume it. */
  eventId?: string | undefined;
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
  /** After a response of this many bytes: resolves at once, or, if it is large, in a turn without another large one. */
  pace(bytes: number): Promise<void>;
  /** Runs the work within the concurrency limit of the user. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
};

/**
 * The body of a late answer as JSON text in pieces: joining the megabytes of a batch would take 30 ms. `error` is the
 * code of a refusal, in a batch of the first one.
 */
export type LateAnswer = { status: number; pieces: readonly string[]; error?: ErrorCode | undefined };
