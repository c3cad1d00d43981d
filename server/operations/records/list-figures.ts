// The figures of every agent, ordered by alias, so that agents can be compared.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import type { DurationCount } from '../../store/counts/duration-counts.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { readSessions } from '../sessions/get-all-status.ts';
import { boundsOf, countsOf, figuresOf, oldestDelivery, type Span, spanOf } from './figures.ts';
import { figureHours } from './get-figures.ts';

export const listFigures = operation({
  name: 'list_figures',
  summary: 'Show the same figures for each agent, by alias.',
  access: 'read',
  input: v.object({
    hours: figureHours,
    network_id: fields.networkId,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: async (hub, caller, { hours, ...page }, { store }) => {
    const { span, items, next } = await readCurrent(hub, store, async (reader) => ({
      span: spanOf(hours, reader.now),
      ...(await readSessions(hub, reader, caller.networks, {}, page)),
    }));
    const agents: AgentFigures[] = [];
    for (const network_id of caller.networks) {
      const aliases = items.filter((agent) => agent.network_id === network_id).map(({ alias }) => alias);
      agents.push(...(await figuresOfEach(store, network_id, aliases, span)));
    }
    return { ok: true, ...boundsOf(span), agents, count: agents.length, ...next };
  },
});

type AgentFigures = { network_id: string; alias: string } & ReturnType<typeof figuresOf>;

async function figuresOfEach(
  store: ScopedStore,
  network_id: string,
  aliases: readonly string[],
  span: Span,
): Promise<AgentFigures[]> {
  const counts = Map.groupBy(await countsOf(store, network_id, aliases, span), ({ alias }: DurationCount) => alias);
  const agents: AgentFigures[] = [];
  for (const alias of aliases) {
    const oldest = await oldestDelivery(store, network_id, alias);
    agents.push({ network_id, alias, ...figuresOf(counts.get(alias) ?? [], oldest, span) });
  }
  return agents;
}
