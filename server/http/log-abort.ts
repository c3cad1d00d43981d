// Logs responses that could not be sent.
import type { Context } from 'koa';
import type { Hub } from '../hub.ts';
import { requestIdOf } from './request-log.ts';

// A client that disconnects is not an error of the hub and must not fill its log.
const CLIENT_LEFT = new Set(['ECONNRESET', 'EPIPE', 'ECANCELED', 'ECONNABORTED']);

export function logAbort(hub: Hub, error: unknown, ctx?: Context): void {
  const hasLeft = error instanceof Error && 'code' in error && CLIENT_LEFT.has(String(error.code));
  hub.log[hasLeft ? 'debug' : 'error'](
    { err: error, ...(ctx && { request_id: requestIdOf(ctx) }) },
    'response aborted',
  );
}
