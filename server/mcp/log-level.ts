// logging/setLevel of the legacy era. The hub sends no log messages to clients and does not declare logging, so any
// valid level is accepted without storing it.
import type { Call } from './call.ts';
import { INVALID_PARAMS, RpcError } from './envelope.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function setLogLevel({ params: { level } }: Call): string {
  if (LEVELS.some((known) => known === level)) return '{}';
  throw new RpcError(INVALID_PARAMS, `level must be one of ${LEVELS.join(', ')}`);
}
