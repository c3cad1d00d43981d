// Who waits for the response to a request.

export type Recipient = {
  /** Whether it has disconnected. Reads that have not started are then dropped. */
  hasLeft(): boolean;
  /** Undefined if a response has room in memory; otherwise resolves when it may have, or the recipient has left. */
  room?(): Promise<void> | undefined;
};
