// The moment an agent reports for the first time since the page was opened.
import { useRef } from 'preact/hooks';
import type { Agent } from '../live/api.ts';
import { agents } from '../live/store.ts';

/** Its alias: one nobody knew, one that was offline, or the one that is waited for by name. */
export function useFirstReport(wanted: string): string | undefined {
  const before = useRef<ReadonlyMap<string, Agent> | null>(null);
  const arrived = useRef<string | undefined>(undefined);
  if (agents.value !== null) before.current ??= new Map(agents.value.map((agent) => [agent.alias, agent]));
  const joined = agents.value?.find((agent) => hasArrived(agent, before.current?.get(agent.alias), wanted));
  // Once seen it stays, even if the agent is gone again.
  arrived.current ??= joined?.alias;
  return arrived.current;
}

function hasArrived(agent: Agent, before: Agent | undefined, wanted: string): boolean {
  if (agent.status === 'offline') return false;
  if (before === undefined || before.status === 'offline') return true;
  return agent.alias === wanted && (agent.last_seen_at !== before.last_seen_at || agent.status !== before.status);
}
