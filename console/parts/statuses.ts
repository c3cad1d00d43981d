// Statuses in display order: those that need attention first.
import type { SessionStatus } from '../../server/domain/session.ts';

export const AGENT_STATUSES = [
  'working',
  'idle',
  'waiting_input',
  'blocked',
  'error',
  'offline',
] as const satisfies readonly SessionStatus[];

/** The status a query names, or undefined for none and for a word that is no status. */
export function statusNamed<Status extends string>(
  statuses: readonly Status[],
  name: string | undefined,
): Status | undefined {
  return statuses.find((status) => status === name);
}
