// Detects the first agent that reports after the page opened.
import { useRef } from 'preact/hooks';
import type { Agent } from '../live/api.ts';
import { agents } from '../live/store.ts';

/** The alias of a new agent, an agent that was offline, or the agent being waited for. */
export function useFirstReport(wanted: string): string | undefined {
  const before = useRef<ReadonlyMap<string, Agent> | null>(null);
  const arrived = useRef<string | undefined>(undefined);
  if (agents.value !== null) before.current ??= new Map(agents.value.map((agent) => [agent.alias, agent]));
  const joined = agents.value?.find((agent) => hasArrived(agent, before.current?.get(agent.alias), wanted));
  // The result stays after the agent goes offline again.
  arrived.current ??= joined?.alias;
  return arrived.current;
}

function hasArrived(agent: Agent, before: Agent | undefined, wanted: string): boolean {
  if (agent.status === 'offline') return false;
  if (before === undefined || before.status === 'offline') return true;
  return agent.alias === wanted && (agent.last_seen_at !== before.last_seen_at || agent.status !== before.status);
}
