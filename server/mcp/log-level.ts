// logging/setLevel of the legacy era. The hub sends its clients no log and declares none, so whoever sets a level all
// the same has it kept without anything being remembered: nothing below it will come.
import type { Call } from './call.ts';
import { INVALID_PARAMS, RpcError } from './envelope.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function setLogLevel({ params: { level } }: Call): string {
  if (LEVELS.some((known) => known === level)) return '{}';
  throw new RpcError(INVALID_PARAMS, `level must be one of ${LEVELS.join(', ')}`);
}
