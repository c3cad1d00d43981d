// What the headers of a request say about its body.
import type { IncomingMessage } from 'node:http';

type Announced = Pick<IncomingMessage, 'headers'>;

/** Node buffers so much of a body that is not read. */
export const BUFFERED_BYTES = 64 * 1024;

export function hasBody({ headers }: Announced): boolean {
  return headers['transfer-encoding'] !== undefined || announcedBytes({ headers }) > 0;
}

/** 0 without a length. */
export function announcedBytes({ headers }: Announced): number {
  return Number(headers['content-length'] ?? 0);
}

/** Whether the client sends the body only once it is asked for. */
export function asksToContinue({ headers }: Announced): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}
