// The figures of the network and of each of its agents over the last hour, day or week.
import type { Signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { type AgentFigures, type Figures, figures, listFigures } from '../live/api.ts';
import { loadPages } from '../live/listing.ts';
import { useRefreshed } from '../live/refreshed.ts';
import { hoursOf, type Span } from './spans.ts';

export type FleetFigures = { network: Figures; byAlias: ReadonlyMap<string, AgentFigures> };

/** They are computed for every agent, so they are loaded less often than other figures. */
const BUSY_MS = 10_000;

export function useFleetFigures(span: Span): { known: Signal<FleetFigures | null>; failed: Signal<boolean> } {
  const query = { network_id: account.value?.network_id, hours: hoursOf(span) };
  const load = async () => {
    const [network, agents] = await Promise.all([
      figures(query),
      loadPages<AgentFigures>(undefined, async (page) => {
        const found = await listFigures({ ...query, ...page });
        return { rows: found.agents, next: found.next_cursor };
      }),
    ]);
    return { network, byAlias: new Map(agents.rows.map((agent) => [agent.alias, agent])) };
  };
  return useRefreshed(JSON.stringify(query), load, undefined, BUSY_MS);
}
