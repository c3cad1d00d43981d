// Agent statuses in order of attention, and a status taken from an address.
import type { SessionStatus } from '../../server/domain/session.ts';

export const AGENT_STATUSES = [
  'waiting_input',
  'error',
  'blocked',
  'working',
  'idle',
  'offline',
] as const satisfies readonly SessionStatus[];

/** The status a query names, or undefined for none and for an unknown word. */
export function statusNamed<Status extends string>(
  statuses: readonly Status[],
  name: string | undefined,
): Status | undefined {
  return statuses.find((status) => status === name);
}
